# A program's PTX text as C: awk -v name=NAME -f embed.awk workloads/NAME/kernel.ptx
BEGIN {
    print "#include \"workloads/workloads.h\"\n"
    print "extern const struct workload_text ptx_" name ";\n"
    print "static const char bytes[] ="
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\042")
    gsub(/\t/, "\\t")
    print "    \"" $0 "\\n\""
}
END {
    print "    \"\";\n"
    print "const struct workload_text ptx_" name " = {"
    print "    bytes, sizeof bytes - 1, \"workloads/" name "/kernel.ptx\"};"
}

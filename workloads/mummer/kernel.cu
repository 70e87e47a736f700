// Maximal unique matches of short queries against a reference text of four letters, a thread per
// query. A thread walks the suffix automaton of the reference letter by letter. Where no edge
// continues, the letters so far are a match that ends there; the thread then follows suffix links,
// which drop letters at the front, until an edge continues. A match counts if long enough and
// unique in the reference.
// Algorithm: Delcher, Kasif, Fleischmann, Peterson, White and Salzberg, Alignment of whole genomes,
// Nucleic Acids Research 27, 1999, for the matches; Blumer, Blumer, Haussler, Ehrenfeucht, Chen and
// Seiferas, The smallest automaton recognizing the subwords of a text, Theoretical Computer Science
// 40, 1985, for the index; written from the descriptions.
struct node {
    unsigned next[4]; // 0: none, since no edge leads to the root
    unsigned link, length, end, occurrences;
};

static __device__ void report(const struct node *node, unsigned length, unsigned minimum,
                              uint2 *match)
{
    if (length >= minimum && node->occurrences == 1) *match = make_uint2(node->end, length);
}

extern "C" __global__ void mummer(const struct node *nodes, const unsigned char *letters,
                                  uint2 *matches, unsigned queries, unsigned letters_each,
                                  unsigned minimum)
{
    unsigned query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= queries) return;
    const unsigned char *mine = letters + query * letters_each;
    uint2 *match = matches + query;
    unsigned at = 0, length = 0;
#pragma unroll 1
    for (unsigned i = 0; i < letters_each; ++i) {
        unsigned letter = mine[i], next = nodes[at].next[letter];
        if (!next) report(&nodes[at], length, minimum, match + (i - 1) * queries);
#pragma unroll 1
        while (!next && at) {
            at = nodes[at].link;
            length = nodes[at].length;
            next = nodes[at].next[letter];
        }
        if (next) ++length;
        at = next;
    }
    report(&nodes[at], length, minimum, match + (letters_each - 1) * queries);
}

/* An SM has six parts. Each part's fields are written by its own files only (tools/parts.txt names
 * them); the other files call inline functions of its headers. `make check-parts` compiles each file
 * with the parts that are not its own declared const, so that a write to them does not compile. */
#ifndef CORUN_SM_OWN_H
#define CORUN_SM_OWN_H

#ifndef CHECK_PARTS
#define OF_FRONT
#define OF_PORT
#define OF_LSU
#define OF_BLOCKS
#define OF_RESIDENCY
#define OF_POLICY
#endif

#endif

/* Ownership. An SM has six parts, a folder each. Only the files of a part's folder write its
 * fields; other files call the inline functions of its headers. `make check-parts` compiles each
 * file with all parts but its own declared const, so that a foreign write does not compile. What
 * struct sm has beside its parts (news, must_tick, statistics) any file of the SM writes. */
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

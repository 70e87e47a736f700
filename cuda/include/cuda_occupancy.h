/* Declares nothing: Thrust includes the header without using its functions. */

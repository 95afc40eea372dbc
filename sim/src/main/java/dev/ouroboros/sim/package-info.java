/**
 * Deterministic simulation of the keeper: its production classes, driven by one event loop with simulated time, against modelled
 * machines that fail by chance. One seed is one run. docs/simulator.md says what is modelled and what is not.
 */
@NullMarked
package dev.ouroboros.sim;

import org.jspecify.annotations.NullMarked;

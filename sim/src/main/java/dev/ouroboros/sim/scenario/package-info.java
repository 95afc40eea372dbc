/** Scenarios that run on the model and on a real node alike: where both do not come to the same, the model is wrong. */
@org.jspecify.annotations.NullMarked
package dev.ouroboros.sim.scenario;

/** Scenarios that run on the model and on a real node alike: where the outcomes differ, the model is wrong. */
@org.jspecify.annotations.NullMarked
package dev.ouroboros.sim.scenario;

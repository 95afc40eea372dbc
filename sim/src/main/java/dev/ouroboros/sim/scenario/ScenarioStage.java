package dev.ouroboros.sim.scenario;

/** A cluster of one node at rest, to which things can be done: a modelled one, or a sandbox. */
public interface ScenarioStage {
    void deleteApiServerPods() throws Exception;

    /** Neither the controller manager nor the scheduler is left, and nobody who would make or schedule their pods. */
    void removeControllers() throws Exception;

    void cutPower() throws Exception;

    /** In the template of the API server. */
    void askForUnknownFlag() throws Exception;

    /** Gives the template back that was there before. */
    void takeBack() throws Exception;

    /** Waits until the keeper did this, as {@link Scenario#decisions} has it. */
    void await(String decision) throws Exception;
}

package dev.ouroboros.model.procedure;

/** Where the state of a procedure outlives the process that drives it: a file, or the status of an object in the cluster. */
@FunctionalInterface
public interface Journal<S> {
    /** Keeps the state in the place of the former one. When this returns, a power cut does not lose it. */
    void write(S state);

    /** Of a procedure that sees from the world alone how far it is. */
    static <S> Journal<S> none() {
        return _ -> {};
    }
}

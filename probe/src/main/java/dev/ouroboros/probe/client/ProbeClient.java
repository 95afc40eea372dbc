package dev.ouroboros.probe.client;

/** A client whose requests are counted: safe for any number of threads, each call one request. */
public interface ProbeClient extends AutoCloseable {
    /** Sends a request and waits until it is answered or given up; never throws for what the endpoint does. */
    Outcome call(ApiRequest request);

    @Override
    void close();
}

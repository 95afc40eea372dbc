package dev.ouroboros.api;

import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.model.problem.ProblemException;

/** Where the API is and who we are to it. It lies in files that change: certificates are renewed, tokens rotate. */
public interface EndpointSource {
    /** One that never changes. */
    static EndpointSource of(Endpoint endpoint) {
        return new EndpointSource() {
            @Override
            public String text() {
                return "";
            }

            @Override
            public Endpoint endpoint(String text) {
                return endpoint;
            }
        };
    }

    /**
     * All that it is made of, as it is now: as long as it is the same, so is the endpoint.
     *
     * @throws ApiException NO_CREDENTIALS when it cannot be read
     */
    String text() throws ApiException;

    /**
     * Makes an endpoint of the text.
     *
     * @throws ProblemException with what is wrong in it
     */
    Endpoint endpoint(String text);
}

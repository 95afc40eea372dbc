package dev.ouroboros.api;

import dev.ouroboros.api.HttpConnection.Answer;
import dev.ouroboros.api.HttpConnection.Request;
import dev.ouroboros.endpoint.Endpoint;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** The time on an API server's machine: the {@code Date} of its answers (RFC 9110 section 6.6.1), in whole seconds. */
public final class ServerClock {
    private static final ApiPath ASKED = new ApiPath("/version");

    private ServerClock() {}

    /**
     * Asks the server for its time, without credentials.
     *
     * @return empty when its answer has no date
     * @throws ApiException when it does not answer
     */
    public static Optional<Instant> read(Endpoint endpoint, Duration limit) throws ApiException {
        try (HttpConnection connection = HttpConnection.open(
                endpoint.newSslContext(),
                endpoint.address(),
                SourcePorts.ANY,
                limit,
                HttpConnection.ServerNames.COMPARED)) {
            Answer answer = connection.exchange(Request.get(endpoint.target(ASKED.text()), endpoint.authority()));
            return answer.header("Date").flatMap(ServerClock::parse);
        } catch (IOException e) {
            throw ApiClient.explained(ASKED, e);
        }
    }

    private static Optional<Instant> parse(String date) {
        try {
            return Optional.of(ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}

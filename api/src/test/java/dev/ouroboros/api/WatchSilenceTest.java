package dev.ouroboros.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.model.json.Json;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** For how long a {@link Reflector} lets a watch be silent. */
final class WatchSilenceTest {
    private static final Reflector.Times TIMES = Reflector.Times.DEFAULT;

    private final List<Duration> silences = new ArrayList<>();
    private final List<ApiPath> lists = new ArrayList<>();
    private List<Watch.Event> said = List.of();
    private boolean stalls;

    private final Api api = new Server();
    private final Reflector<String> reflector = new Reflector<>(
            "pods",
            api,
            new ClusterGuard(api, new Memory(), InstantSource.system()),
            ApiPath.core("pods"),
            _ -> "",
            () -> {},
            TIMES);

    @Test
    void aServerThatSendsNoBookmarksMayBeSilentForLonger() {
        reflector.follow();
        reflector.follow();

        assertThat(silences).containsExactly(TIMES.quiet(), TIMES.quiet());
        assertThat(lists).as("a watch that ended goes on from where it was").hasSize(1);
    }

    @Test
    void aServerThatSendsBookmarksMayNotBeSilentBetweenThem() {
        said = List.of(new Watch.Event.Bookmark("8"));
        reflector.follow();
        said = List.of();
        reflector.follow();
        reflector.follow();

        assertThat(silences).containsExactly(TIMES.quiet(), TIMES.silence(), TIMES.quiet());
    }

    @Test
    void aWatchThatWasSilentForTooLongIsListedAgain() {
        stalls = true;
        reflector.follow();
        stalls = false;
        reflector.follow();

        assertThat(lists).hasSize(2);
    }

    /** Lists nothing, and ends each watch when it has said what it is to say. */
    private final class Server implements Api {
        @Override
        public Json get(ApiPath path) {
            if (path.text().contains("/pods")) {
                lists.add(path);
            }
            return Json.object()
                    .with(
                            "metadata",
                            Json.object().with("uid", Json.text("ours")).with("resourceVersion", Json.text("7")));
        }

        @Override
        public Watch watch(ApiPath collection, String version, Duration lifetime, Duration silence) {
            silences.add(silence);
            List<Watch.Event> left = new ArrayList<>(said);
            return new Watch() {
                @Override
                public Optional<Event> next() throws ApiException {
                    if (stalls) {
                        throw new ApiException(Kind.TIMEOUT, "silent");
                    }
                    return left.isEmpty() ? Optional.empty() : Optional.of(left.removeFirst());
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public Json update(ApiPath object, Json content) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Json create(ApiPath collection, Json object) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Json patch(ApiPath object, PatchType type, Json patch) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(ApiPath object, String uid, Grace grace) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void reconnect() {}
    }

    private static final class Memory implements ClusterGuard.ClusterMemory {
        @Override
        public Optional<String> clusterId() {
            return Optional.of("ours");
        }

        @Override
        public void adopt(String clusterId) {}

        @Override
        public void served(String version) {}
    }
}

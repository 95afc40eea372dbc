package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/**
 * ConfigMaps whose loss would be noticed: which of them the API server has acknowledged is remembered here, and what is in one
 * follows from its name.
 */
final class Canaries implements AutoCloseable {
    private static final String PATH = "/api/v1/namespaces/default/configmaps";
    private static final int WRITERS = 16;

    private final AdminApi api;
    private final ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger next = new AtomicInteger();
    private final Set<String> acknowledged = new ConcurrentSkipListSet<>();

    private final String prefix;

    Canaries(AdminApi api) {
        this(api, "");
    }

    /** @param prefix tells them from others that are there */
    Canaries(AdminApi api, String prefix) {
        this.api = api;
        this.prefix = prefix;
    }

    /** Names of all canaries that the API server has said it stored. */
    Set<String> acknowledged() {
        return new TreeSet<>(acknowledged);
    }

    void create(int count) throws InterruptedException, ExecutionException {
        int last = next.get() + count;
        for (Future<Boolean> writer : write(number -> number < last)) {
            assertThat(writer.get())
                    .as("every canary is acknowledged; last not: %s", api.refusal())
                    .isTrue();
        }
    }

    /** Whether the API server takes one more now. */
    boolean createOne() throws InterruptedException {
        return post(prefix + name(next.getAndIncrement()));
    }

    /** Creates canaries until the API server answers no more. What is not acknowledged then may or may not be stored. */
    List<Future<Boolean>> createUntilTheApiIsGone() {
        return write(_ -> true);
    }

    private List<Future<Boolean>> write(IntPredicate goesOn) {
        List<Future<Boolean>> all = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            all.add(writers.submit(() -> {
                for (int number = next.get(); goesOn.test(number); number = next.get()) {
                    if (next.compareAndSet(number, number + 1) && !post(prefix + name(number))) {
                        return false;
                    }
                }
                return true;
            }));
        }
        return all;
    }

    private boolean post(String name) throws InterruptedException {
        ObjectNode canary = JsonNodeFactory.instance.objectNode();
        canary.putObject("metadata").put("name", name).putObject("labels").put("canary", "true");
        canary.putObject("data").put("song", song(name));
        boolean created = api.create(PATH, canary);
        if (created) {
            acknowledged.add(name);
        }
        return created;
    }

    /** Requires that the API has every acknowledged canary, with its content. */
    void requireAll() throws InterruptedException {
        require(api, acknowledged());
    }

    /** As {@link #requireAll}, of an API that may be another one than they were given to. */
    static void require(AdminApi api, Set<String> names) throws InterruptedException {
        JsonNode answer = api.get(PATH + "?labelSelector=canary").orElseThrow();
        Set<String> found = new TreeSet<>();
        for (JsonNode item : answer.path("items")) {
            String name = item.path("metadata").path("name").asText();
            assertThat(item.path("data").path("song").asText()).isEqualTo(song(name));
            found.add(name);
        }
        assertThat(found).containsAll(names);
    }

    private static String name(int number) {
        return "canary-%06d".formatted(number);
    }

    private static String song(String name) {
        return name.repeat(20);
    }

    @Override
    public void close() {
        writers.shutdownNow();
    }
}

package dev.ouroboros.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Puts ConfigMaps into an etcd through its JSON gateway, several transactions at a time: {@code EtcdFilling ENDPOINT MEGABYTES}. About half
 * of the puts change a key that is there.
 *
 * <p>Transactions are small: etcd keeps the last thousands of them in its memory, whatever their size.
 */
final class EtcdFilling {
    private static final int WRITERS = 8;
    private static final int PUTS = 12;
    /** Of a value, on average. */
    private static final int BYTES = 8_500;

    private static final int KEYS_A_MEGABYTE = 60;
    private static final int SPACES = 50;
    private static final int LETTERS = 400;
    private static final String ALPHABET = "abcdefgh ijklmnop";
    private static final String BLOCK = block();
    private static final int OK = 200;

    private final URI endpoint;
    private final int keys;
    private final int transactions;
    private final AtomicInteger next = new AtomicInteger();

    private EtcdFilling(URI endpoint, int megabytes) {
        this.endpoint = endpoint;
        this.keys = Math.max(1, megabytes * KEYS_A_MEGABYTE);
        this.transactions = (int) (megabytes * 1_000_000L / BYTES / PUTS) + 1;
    }

    public static void main(String[] arguments) throws InterruptedException, ExecutionException {
        new EtcdFilling(URI.create(arguments[0]).resolve("/v3/kv/txn"), Integer.parseInt(arguments[1])).run();
    }

    private static String block() {
        StringBuilder block = new StringBuilder();
        for (int letter = 0; letter < LETTERS; letter++) {
            block.append(ALPHABET.charAt(letter * 7 % ALPHABET.length()));
        }
        return block.toString();
    }

    private void run() throws InterruptedException, ExecutionException {
        try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor();
                HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()) {
            List<Future<Void>> all = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                all.add(writers.submit(() -> {
                    for (int number = next.getAndIncrement(); number < transactions; number = next.getAndIncrement()) {
                        commit(client, number);
                    }
                    return null;
                }));
            }
            for (Future<Void> writer : all) {
                writer.get();
            }
        }
    }

    private void commit(HttpClient client, int number) throws IOException, InterruptedException {
        StringBuilder puts = new StringBuilder("{\"success\":[");
        for (int put = 0; put < PUTS; put++) {
            int key = (int) ((number * 7919L + put) % keys);
            puts.append(put == 0 ? "" : ",").append("{\"requestPut\":{\"key\":\"");
            puts.append(encoded("/registry/configmaps/space-%d/map-%06d".formatted(key % SPACES, key)));
            puts.append("\",\"value\":\"").append(encoded(value(key, number))).append("\"}}");
        }
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .POST(BodyPublishers.ofString(puts.append("]}").toString()))
                .build();
        var response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() != OK) {
            throw new IOException("etcd answers " + response.statusCode() + ": " + response.body());
        }
    }

    /** Of 4 to 13 kB, as ConfigMaps that hold configuration are. */
    private static String value(int key, int round) {
        return "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"map-%06d\",\"namespace\":\"space-%d\"},"
                        .formatted(key, key % SPACES)
                + "\"data\":{\"round\":\"" + round + "\",\"text\":\"" + BLOCK.repeat(10 + (key * 31 + round) % 23)
                + "\"}}";
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}

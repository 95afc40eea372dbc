package dev.ouroboros.status.source;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import dev.ouroboros.model.json.JsonText.MalformedJson;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutionException;

/** What the keeper of a node, or its agent where it is no control-plane node, tells on its loopback; they answer when no API does. */
public final class KeeperPages {
    private static final Duration LIMIT = Duration.ofSeconds(3);

    private final NodePlace node;
    private final String who;
    private final int port;

    KeeperPages(NodePlace node, String who, int port) {
        this.node = node;
        this.who = who;
        this.port = port;
    }

    public static KeeperPages ofKeeper(NodePlace node) {
        return new KeeperPages(node, "the keeper", Component.KEEPER.port());
    }

    /** Of a node that has no keeper; an agent makes no decisions about components. */
    public static KeeperPages ofAgent(NodePlace node) {
        return new KeeperPages(node, "the node's agent", Component.NODE_AGENT.port());
    }

    /** Where each component stands. */
    public Evidence<Json> state() {
        return get("/state");
    }

    /** What was done lately and why. */
    public Evidence<Json> decisions() {
        return get("/decisions");
    }

    private Evidence<Json> get(String page) {
        try {
            return Evidence.known(
                    node.network().isPresent() ? node.network().get().call(() -> read(page)) : read(page));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                return Evidence.unknown(why(failure));
            }
            throw new IllegalStateException("asking " + who + " for " + page, e.getCause());
        } catch (IOException e) {
            return Evidence.unknown(why(e));
        }
    }

    private String why(IOException e) {
        String message = switch (e) {
            case MalformedJson malformed -> "answers no JSON: " + malformed.getMessage();
            case SocketTimeoutException _ -> "does not answer within " + LIMIT.toSeconds() + " s";
            default -> "does not answer (" + e.getMessage() + ")";
        };
        return who + " on 127.0.0.1:" + port + " " + message;
    }

    /** The socket is created on the calling thread, because it belongs to that thread's network namespace. */
    private Json read(String page) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + page).toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout((int) LIMIT.toMillis());
        connection.setReadTimeout((int) LIMIT.toMillis());
        connection.setRequestProperty("Connection", "close");
        try (InputStream body = connection.getInputStream()) {
            return JsonText.read(body);
        } finally {
            connection.disconnect();
        }
    }
}

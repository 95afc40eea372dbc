package dev.ouroboros.etcd;

import dev.ouroboros.etcd.decide.EtcdPod;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.node.port.Listeners;
import java.io.IOException;
import java.net.HttpURLConnection;

/** Asks the kernel for the port, and etcd itself, at the address that the kubelet asks. */
final class HttpEtcdProbe implements EtcdProbe {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final int OK = 200;

    private final EtcdPod etcd;
    private final Listeners listeners;

    HttpEtcdProbe(EtcdPod etcd, Listeners listeners) {
        this.etcd = etcd;
        this.listeners = listeners;
    }

    @Override
    public Evidence<Boolean> listens() {
        return listeners.on(etcd.health().getPort()).map(owners -> !owners.isEmpty());
    }

    @Override
    public Evidence<Boolean> healthy() {
        try {
            HttpURLConnection connection =
                    (HttpURLConnection) etcd.health().toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            try {
                return Evidence.known(connection.getResponseCode() == OK);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            return Evidence.unknown(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }
}

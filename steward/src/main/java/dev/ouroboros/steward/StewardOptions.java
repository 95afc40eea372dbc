package dev.ouroboros.steward;

import dev.ouroboros.endpoint.ClientFiles;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.logging.Level;

/**
 * What the steward is told.
 *
 * @param node name of the Node that it runs on
 * @param nodeRole label that control-plane nodes have
 * @param server of the API
 * @param credentials the directory that the kubelet mounts
 * @param etcd keys of a client of etcd
 * @param backups directory of the node below which snapshots are saved, a directory for each cluster
 * @param interval between two looks
 */
public record StewardOptions(
        String node,
        String nodeRole,
        URI server,
        Path credentials,
        ClientFiles etcd,
        Path backups,
        Duration interval,
        int healthPort,
        Level logLevel) {}

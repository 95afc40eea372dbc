package dev.ouroboros.steward;

import dev.ouroboros.endpoint.ClientFiles;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Level;

/**
 * What the steward is told.
 *
 * @param node name of the Node that it runs on
 * @param nodeRole label that control-plane nodes have
 * @param server of the API
 * @param credentials the directory that the kubelet mounts
 * @param managesEtcd whether members of etcd are as the object wishes; else they are their owner's
 * @param etcd keys of a client of etcd; none where etcd is asked without TLS
 * @param authorityKey of etcd's authority; empty where the owner has it
 * @param state directory of the node, in which snapshots, locks and journals lie
 * @param manifest of the node's member of etcd, where the kubelet looks for it
 * @param kubeletKubeconfig as which the node asks for the certificate of its member
 * @param runtimeSocket of the container runtime
 * @param interval between two looks
 */
public record StewardOptions(
        String node,
        String nodeRole,
        URI server,
        Path credentials,
        boolean managesEtcd,
        ClientFiles etcd,
        Optional<Path> authorityKey,
        Path state,
        Path manifest,
        Path kubeletKubeconfig,
        Path runtimeSocket,
        Duration interval,
        int healthPort,
        Level logLevel) {}

package dev.ouroboros.etcd;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a change of etcd is told.
 *
 * @param file with the new manifest
 * @param manifest of etcd, where the kubelet looks for it
 * @param stateDirectory where lock, journal and the manifest of before lie
 * @param deadline for each step that can be given up
 */
public record EtcdChangeOptions(Path file, Path manifest, Path stateDirectory, Duration deadline) {}

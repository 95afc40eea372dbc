package dev.ouroboros.etcd;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What a restore is told.
 *
 * @param snapshot a snapshot, or the database of a data directory
 * @param manifest of etcd, where the kubelet looks for it
 * @param stateDirectory where lock, journal and the manifest's copy lie
 * @param tool etcd's tool that restores; empty for the one that is installed
 * @param kubeletRestart a shell command that restarts the kubelet
 * @param deadline for etcd's end, and, plus the kubelet's longest back-off, for etcd's health with the restored data
 */
public record RestoreOptions(
        Path snapshot,
        Path manifest,
        Path stateDirectory,
        Optional<Path> tool,
        Optional<String> kubeletRestart,
        Duration deadline) {}

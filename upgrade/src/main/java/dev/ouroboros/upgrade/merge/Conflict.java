package dev.ouroboros.upgrade.merge;

import dev.ouroboros.model.json.Json;

/**
 * A place that both the cluster and the target changed, each in its own way.
 *
 * @param path where
 * @param base the value that it was made with; absent is {@link Json#absent()}
 * @param live its value in the cluster
 * @param target the value that it should get
 */
public record Conflict(String path, Json base, Json live, Json target) {}

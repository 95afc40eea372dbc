package dev.ouroboros.core.merge;

import dev.ouroboros.core.json.Json;

/**
 * A place that both the cluster and the target changed, each in its own way.
 *
 * @param path where
 * @param base what it was made as; absent is {@link Json#absent()}
 * @param live what it is
 * @param target what it should become
 */
public record Conflict(String path, Json base, Json live, Json target) {}

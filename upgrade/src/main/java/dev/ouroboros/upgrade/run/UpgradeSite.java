package dev.ouroboros.upgrade.run;

import dev.ouroboros.endpoint.Endpoint;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The cluster whose version is changed.
 *
 * @param assets the asset directory that it was made from
 * @param api where it is asked; looked for when what is wrong with the target has been said
 * @param document the Cluster document that belongs to the directory and is kept and changed with it
 */
public record UpgradeSite(Path assets, Supplier<Endpoint> api, Optional<Path> document) {}

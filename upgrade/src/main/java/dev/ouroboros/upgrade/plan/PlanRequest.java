package dev.ouroboros.upgrade.plan;

import dev.ouroboros.endpoint.Endpoint;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What a plan is asked for.
 *
 * @param api the API server to ask
 * @param wanted what wins over the document
 * @param config the {@code Cluster} document
 * @param assetDirectory what the cluster was last made from
 * @param binaries a directory with the target's programs, which are asked what flags they know
 * @param nodeRoot the file system of a control-plane node, where it can be seen from here
 * @param snapshot a file, read for what is stored
 * @param isSandbox whether applying it builds and loads the images
 * @param hasKubelet whether the target's kubelet is given, so that applying it exchanges kubelets, too
 * @param asksForConflicts whether objects are compared with what somebody changed in the cluster; apply does it itself
 */
public record PlanRequest(
        Endpoint api,
        Wanted wanted,
        Optional<Path> config,
        Optional<Path> assetDirectory,
        Optional<Path> binaries,
        Optional<Path> nodeRoot,
        Optional<StoredObjects> snapshot,
        boolean isSandbox,
        boolean hasKubelet,
        boolean asksForConflicts) {}

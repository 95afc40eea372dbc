package dev.ouroboros.bootstrap;

import dev.ouroboros.bootstrap.decide.Handover;
import dev.ouroboros.endpoint.Endpoint;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.manifest.WorkloadReference;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.disk.Disk;
import dev.ouroboros.render.adopt.Adoption;
import dev.ouroboros.render.adopt.Alteration;
import dev.ouroboros.render.manifest.ManifestSet;
import dev.ouroboros.render.manifest.TokenExpiry;
import dev.ouroboros.render.understudy.TemporaryPod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a start is going to do, known before anything is changed.
 *
 * @param required what must be ready before the temporary control plane goes away
 * @param changes what an adoption alters in the applied manifests
 * @param remarks what it leaves alone although we would have rendered it otherwise
 */
public record StartPlan(
        StartAssets assets,
        Endpoint api,
        ApiAddress address,
        ManifestSet manifests,
        List<WorkloadReference> required,
        List<Alteration> changes,
        List<String> remarks) {
    public StartPlan {
        required = List.copyOf(required);
        changes = List.copyOf(changes);
        remarks = List.copyOf(remarks);
    }

    /**
     * Reads the asset directory and changes nothing.
     *
     * @param start when the cluster begins to live
     * @throws ProblemException what is wrong with the directory or the options
     */
    static StartPlan of(Disk disk, StartOptions options, boolean ipv6, Instant start) {
        StartAssets assets = StartAssets.read(disk, options.assetDirectory());
        Endpoint api = KubeconfigFile.read(assets.adminKubeconfigFile(), Optional.empty());
        if (!ipv6) {
            requireIpv4(assets);
        }
        ApiAddress address = ApiAddress.of(api, options, assets);
        ManifestSet rendered = ManifestSet.of(ManifestSet.parse(assets.manifests()).objects().stream()
                .map(object -> TokenExpiry.from(start, object))
                .toList());
        if (!options.adopt()) {
            return new StartPlan(
                    assets, api, address, rendered, required(options, rendered.withoutKeeper()), List.of(), List.of());
        }
        if (address.handover() == Handover.OUTAGE) {
            throw ProblemException.of(
                    ErrorCode.BAD_USAGE,
                    "--adopt",
                    "what it promises needs the front, and " + api.server() + " is a loopback address, which has none",
                    "an API endpoint in this machine's network",
                    "render with --api-servers=https://ADDRESS:6443, or start without --adopt");
        }
        Optional<byte[]> key = disk.read(assets.root().resolve(AssetLayout.SERVICE_ACCOUNT_KEY));
        Adoption adoption = Adoption.of(rendered.objects(), key, ipv6);
        ManifestSet adopted = ManifestSet.of(adoption.objects());
        return new StartPlan(
                assets,
                api,
                address,
                adopted,
                required(options, adopted.withoutKeeper()),
                adoption.changes(),
                adoption.remarks());
    }

    /** Said here, as an API server would only say "address family not supported by protocol". */
    private static void requireIpv4(StartAssets assets) {
        TemporaryPod.flag(assets.temporaryPod(Component.API_SERVER), Component.API_SERVER, "bind-address")
                .filter(address -> address.contains(":"))
                .ifPresent(address -> {
                    throw ProblemException.of(
                            ErrorCode.INVALID_ASSET_DIRECTORY,
                            assets.root().resolve(AssetLayout.bootstrapManifest(Component.API_SERVER))
                                    + ": --bind-address",
                            address + " is IPv6, which this machine does not have (there is no /proc/net/if_inet6)",
                            "0.0.0.0",
                            "render again with extraArgs.kubeApiserver.bind-address: 0.0.0.0");
                });
    }

    public Handover handover() {
        return address.handover();
    }

    /** Host and port at which clients reach the API. */
    public String endpoint() {
        return address.node().getHostAddress() + ":" + address.port();
    }

    private static List<WorkloadReference> required(StartOptions options, ManifestSet manifests) {
        List<WorkloadReference> controlPlane = manifests.controlPlane();
        if (options.requiredPods().isEmpty()) {
            return controlPlane;
        }
        for (String name : options.requiredPods()) {
            if (controlPlane.stream().noneMatch(workload -> workload.path().equals(name))) {
                throw ProblemException.of(
                        ErrorCode.INVALID_FLAG,
                        "--required-pods",
                        name + " is neither a DaemonSet nor a Deployment of the control plane in manifests/",
                        "of "
                                + controlPlane.stream()
                                        .map(WorkloadReference::path)
                                        .toList(),
                        "name one of these with --required-pods, or leave it out");
            }
        }
        return controlPlane.stream()
                .filter(workload -> options.requiredPods().contains(workload.path()))
                .toList();
    }
}

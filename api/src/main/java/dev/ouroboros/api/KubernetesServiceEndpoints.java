package dev.ouroboros.api;

import dev.ouroboros.api.Api.PatchType;
import dev.ouroboros.api.ApiException.Kind;
import dev.ouroboros.model.endpoints.ServiceEndpoints;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.json.Json;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Writes {@link ServiceEndpoints}, together with other nodes that do the same. The API version of EndpointSlices is asked for once, and again before
 * each write and when no slice is found.
 */
public final class KubernetesServiceEndpoints {
    private static final String GROUP = "discovery.k8s.io";
    private static final String FIELD_MANAGER = "ouroboros";

    private final Api api;
    private final ServiceEndpoints own;
    private final Members members;
    private final BooleanSupplier serves;
    private Optional<String> groupVersion = Optional.empty();

    /** Tells which addresses are those of control-plane nodes. Not asked while this node's own address is the only one. */
    public interface Members {
        Evidence<Set<String>> addresses();
    }

    /**
     * @param address of this node, IPv4 or IPv6
     * @param port of the API on this node, which the front watches over
     * @param serves whether an API server of this node serves clients: no client of another node is led to a server that never did. Asked while the
     * Service does not lead here
     */
    public KubernetesServiceEndpoints(Api api, String address, int port, Members members, BooleanSupplier serves) {
        this.api = api;
        this.own = ServiceEndpoints.of(address, port);
        this.members = members;
        this.serves = serves;
    }

    /** The Endpoints, as a collection of one. */
    public static ApiPath endpointsOnly() {
        return endpointsPath("").with("fieldSelector", "metadata.name=" + ServiceEndpoints.NAME);
    }

    /**
     * The EndpointSlice, as a collection of one.
     *
     * @throws ApiException when no API server says which version it serves
     */
    public ApiPath sliceOnly() throws ApiException {
        return ApiPath.of(groupVersion(), ServiceEndpoints.NAMESPACE, "endpointslices")
                .with("fieldSelector", "metadata.name=" + ServiceEndpoints.NAME);
    }

    private static ApiPath endpointsPath(String name) {
        ApiPath all = ApiPath.core(ServiceEndpoints.NAMESPACE, "endpoints");
        return name.isEmpty() ? all : all.named(name);
    }

    /**
     * What both objects should hold.
     *
     * @param subsets of the Endpoints as they are
     * @return empty when another node is to write them first
     */
    public Optional<ServiceEndpoints> wanted(Json subsets) {
        return own.isAloneIn(subsets) ? Optional.of(own) : own.keeping(subsets, members.addresses(), serves);
    }

    /** Whether these endpoints lead to this node. */
    public boolean leadsHere(ServiceEndpoints wanted) {
        return wanted.addresses().containsAll(own.addresses());
    }

    /** Whether both objects hold what they should. */
    public synchronized boolean areRight() throws ApiException {
        Json subsets = subsets();
        Optional<ServiceEndpoints> wanted = wanted(subsets);
        return wanted.isEmpty() || (wanted.get().areIn(subsets) && isSliceRight(wanted.get()));
    }

    /** Whether the EndpointSlice holds these endpoints. */
    public synchronized boolean isSliceRight(ServiceEndpoints wanted) throws ApiException {
        try {
            return wanted.areInSlice(api.get(slicePath()));
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                groupVersion = Optional.empty();
                return false;
            }
            throw e;
        }
    }

    /** Makes both hold what they should, unless another node is to write them first. */
    public synchronized void write() throws ApiException {
        groupVersion = Optional.empty();
        Optional<ServiceEndpoints> wanted = wanted(subsets());
        if (wanted.isPresent()) {
            api.patch(
                    applied(endpointsPath(ServiceEndpoints.NAME)),
                    PatchType.APPLY,
                    wanted.get().endpoints());
            api.patch(applied(slicePath()), PatchType.APPLY, wanted.get().slice(groupVersion()));
        }
    }

    private Json subsets() throws ApiException {
        try {
            return api.get(endpointsPath(ServiceEndpoints.NAME)).at("subsets");
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return Json.absent();
            }
            throw e;
        }
    }

    private static ApiPath applied(ApiPath path) {
        return path.with("fieldManager", FIELD_MANAGER).with("force", "true");
    }

    private ApiPath slicePath() throws ApiException {
        return ApiPath.of(groupVersion(), ServiceEndpoints.NAMESPACE, "endpointslices")
                .named(ServiceEndpoints.NAME);
    }

    /** v1 since 1.21, v1beta1 until 1.25. */
    private String groupVersion() throws ApiException {
        if (groupVersion.isEmpty()) {
            groupVersion = Optional.of(GROUP + "/" + preferredVersion());
        }
        return groupVersion.get();
    }

    private String preferredVersion() throws ApiException {
        try {
            return api.get(new ApiPath("/apis/" + GROUP))
                    .at("preferredVersion", "version")
                    .text()
                    .orElse("v1");
        } catch (ApiException e) {
            if (e.kind() == Kind.NOT_FOUND) {
                return "v1";
            }
            throw e;
        }
    }
}

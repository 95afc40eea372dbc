package dev.ouroboros.recovery;

import dev.ouroboros.model.asset.AssetLayout;
import dev.ouroboros.model.checkpoint.ApiObject;
import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.render.manifest.Kubeconfigs;
import dev.ouroboros.render.manifest.Yaml;
import dev.ouroboros.render.pki.Issuer;
import dev.ouroboros.render.pki.Pem;
import dev.ouroboros.render.pki.Profile;
import dev.ouroboros.render.pki.RenewalPolicy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How {@code start} reaches the recovered API server as its administrator: with a kubeconfig that was given, or one made with the
 * authority that the controller manager signs with.
 */
final class AdminAccess {
    private static final String ADMINISTRATORS = "system:masters";
    private static final String GIVE_ONE = "give an administrator's kubeconfig with --kubeconfig";

    private final Map<Component, RecoveredComponent> parts;
    private final ClusterObjects objects;
    private final Issuer issuer;
    private final Instant now;
    private final List<Problem> problems;

    AdminAccess(
            Map<Component, RecoveredComponent> parts,
            ClusterObjects objects,
            Issuer issuer,
            Instant now,
            List<Problem> problems) {
        this.parts = parts;
        this.objects = objects;
        this.issuer = issuer;
        this.now = now;
        this.problems = problems;
    }

    /** @param kubeconfig its text, for the directory */
    record Access(String kubeconfig, Kubeconfigs cluster, Kubeconfig endpoint) {
        /** Does not print the kubeconfig: it has a key. */
        @Override
        public String toString() {
            return "access to " + cluster.server();
        }
    }

    /** Empty when it cannot be had; the problems say why. */
    Optional<Access> of(RecoveryRequest request) {
        Optional<String> given = request.adminKubeconfig();
        Optional<URI> server = request.server();
        Optional<Kubeconfig> endpoint = given.isPresent()
                ? given.flatMap(Kubeconfig::parse)
                : server.map(address -> new Kubeconfig(address, Optional.empty(), Optional.empty()))
                        .or(this::endpoint);
        if (endpoint.isEmpty()) {
            problems.add(
                    problem(
                            "API endpoint",
                            given.isPresent()
                                    ? "the kubeconfig that was given names no server"
                                    : "no kubeconfig of the control plane says where clients reach the API from outside of the cluster; --server can"));
            return Optional.empty();
        }
        Optional<String> authority = rootAuthority().or(() -> endpoint.get().authority());
        if (authority.isEmpty()) {
            problems.add(
                    problem("tls/ca.crt", "neither --root-ca-file nor a kubeconfig holds the cluster's authority"));
            return Optional.empty();
        }
        Kubeconfigs cluster =
                new Kubeconfigs("recovered", endpoint.get().server().toString(), authority.get());
        return given.isPresent()
                ? given.map(text -> new Access(text, cluster, endpoint.get()))
                : earlier(cluster, request.existing())
                        .or(() -> minted(cluster))
                        .map(text -> new Access(text, cluster, endpoint.get()));
    }

    /** What an earlier run made for the same cluster and endpoint, while its certificate is good for some time yet. */
    private Optional<String> earlier(Kubeconfigs cluster, Map<String, String> existing) {
        return Optional.ofNullable(existing.get(AssetLayout.ADMIN_KUBECONFIG))
                .filter(_ -> cluster.caCertificate().equals(existing.get(AssetLayout.CA_CERTIFICATE)))
                .filter(text -> Kubeconfig.parse(text)
                        .filter(known -> known.server().toString().equals(cluster.server()))
                        .filter(known -> known.clientCertificate()
                                .flatMap(Pem::certificate)
                                .map(this::isGood)
                                .orElse(true))
                        .isPresent());
    }

    private boolean isGood(X509Certificate certificate) {
        return !certificate.getNotBefore().toInstant().isAfter(now)
                && RenewalPolicy.STANDARD.dueAt(certificate).isAfter(now);
    }

    private Optional<String> rootAuthority() {
        return part(Component.CONTROLLER_MANAGER).flatMap(part -> part.fileOf("root-ca-file"));
    }

    private Optional<RecoveredComponent> part(Component component) {
        return Optional.ofNullable(parts.get(component));
    }

    private Optional<String> minted(Kubeconfigs cluster) {
        Optional<RecoveredComponent> manager = part(Component.CONTROLLER_MANAGER);
        if (manager.isEmpty()) {
            return Optional.empty();
        }
        Optional<X509Certificate> certificate =
                manager.get().fileOf("cluster-signing-cert-file").flatMap(Pem::certificate);
        Optional<PrivateKey> key =
                manager.get().fileOf("cluster-signing-key-file").flatMap(Pem::privateKey);
        if (certificate.isEmpty() || key.isEmpty()) {
            problems.add(problem(
                    manager.get().workload().path(),
                    "the authority that it signs with (--cluster-signing-cert-file, --cluster-signing-key-file) is not among what it"
                            + " mounts: no client certificate can be made"));
            return Optional.empty();
        }
        Credential authority = new Credential(certificate.get(), key.get());
        if (!authority.fits()) {
            problems.add(
                    problem(manager.get().workload().path(), "the certificate and key that it signs with are no pair"));
            return Optional.empty();
        }
        boolean trusted = part(Component.API_SERVER)
                .flatMap(server -> server.fileOf("client-ca-file"))
                .filter(bundle -> bare(bundle).contains(bare(Pem.of(certificate.get()))))
                .isPresent();
        if (!trusted) {
            problems.add(problem(
                    "kube-apiserver --client-ca-file",
                    "does not hold the authority that the controller manager signs with: the API server would not know who shows its"
                            + " certificates"));
            return Optional.empty();
        }
        KeyPair keys = issuer.newKeys();
        X509Certificate admin =
                issuer.issue(authority, Profile.client("ouroboros-recovery", ADMINISTRATORS), keys.getPublic());
        return Optional.of(new Yaml().text(cluster.withCertificate("admin", Pem.of(admin), Pem.of(keys.getPrivate()))));
    }

    private static String bare(String pem) {
        return pem.replaceAll("\\s", "");
    }

    /** Where the kubeconfigs of the control plane's Secrets and ConfigMaps lead, those first that are nearest to it. */
    private Optional<Kubeconfig> endpoint() {
        Stream<String> own = Stream.of(
                        Component.CONTROLLER_MANAGER,
                        Component.SCHEDULER,
                        Component.KEEPER,
                        Component.PROXY,
                        Component.API_SERVER)
                .flatMap(component -> part(component)
                        .map(chosen -> Stream.of(chosen.workload()))
                        .orElseGet(() -> objects.running(component).stream()))
                .flatMap(workload -> workload.references().stream())
                .flatMap(this::texts);
        return Stream.concat(own, objects.kubeconfigs().stream())
                .flatMap(text -> Kubeconfig.parse(text).stream())
                .filter(Kubeconfig::leadsHereFromOutside)
                .findFirst();
    }

    private Stream<String> texts(ApiObject object) {
        Json data = objects.content(object).map(content -> content.at("data")).orElse(Json.absent());
        return data.fields().values().stream()
                .flatMap(value -> value.text().stream())
                .map(text -> switch (object.kind()) {
                    case SECRET -> new String(Base64.getMimeDecoder().decode(text), StandardCharsets.UTF_8);
                    case CONFIG_MAP -> text;
                });
    }

    private static Problem problem(String where, String what) {
        return new Problem(ErrorCode.INVALID_KEY_MATERIAL, where, what, AssetLayout.ADMIN_KUBECONFIG, GIVE_ONE);
    }
}

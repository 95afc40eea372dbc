package dev.ouroboros.cli.host;

import dev.ouroboros.cluster.JoinDiscovery;
import dev.ouroboros.cluster.JoinDiscovery.Trust;
import dev.ouroboros.endpoint.AuthorityHash;
import dev.ouroboros.endpoint.KubeconfigFile;
import dev.ouroboros.host.HostJoin;
import dev.ouroboros.host.HostTree;
import dev.ouroboros.host.decide.HostSettings;
import dev.ouroboros.model.component.JoiningObjects;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.render.manifest.BootstrapToken;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ouro host join}. */
@Command(
        name = "join",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Makes this machine a node of a cluster that lives: containerd, the kubelet, the kernel's settings. What it is to be, a"
                    + " pool of the cluster says; it becomes a control-plane node by its label alone (kubectl label node).",
            "'ouro token create' prints the command with its server, token and hash. As 'prepare' it says what it would do, asks, and"
                    + " overwrites nothing of anybody's; it ends when the node is ready."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ouro host join https://10.0.0.5:6443 --token abcdef.0123456789abcdef --ca-hash sha256:0123...",
            "  ouro host join https://10.0.0.5:6443 --token abcdef.0123456789abcdef --ca-file ca.crt --pool gpu --yes"
        })
final class HostJoinCommand implements Callable<Integer> {
    private static final String MAKE_ONE =
            "ouro token create, where there is an administrator's kubeconfig, prints all of it";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before call().
    private CommandSpec spec;

    @Parameters(
            paramLabel = "SERVER",
            description = "URL of an API server of the cluster, as its certificate has it: https://ADDRESS:6443.")
    private String server = "";

    @Option(names = "--token", required = true, paramLabel = "TOKEN", description = "The token to join with.")
    private String token = "";

    @Option(
            names = "--ca-hash",
            paramLabel = "HASH",
            description = "Hash of the cluster's authority, sha256:HEX; nothing is sent to a server of another one.")
    private Optional<String> authorityHash = Optional.empty();

    @Option(
            names = "--ca-file",
            paramLabel = "FILE",
            description = "The authority itself, tls/ca.crt of the asset directory, in place of its hash.")
    private Optional<Path> authorityFile = Optional.empty();

    @Option(
            names = "--pool",
            paramLabel = "NAME",
            defaultValue = JoiningObjects.DEFAULT_POOL,
            description =
                    "What this machine is to be: labels, taints and settings of the kubelet (default: ${DEFAULT-VALUE}).")
    private String pool = JoiningObjects.DEFAULT_POOL;

    @Mixin
    private final NodeSetup setup = new NodeSetup();

    @Override
    public Integer call() {
        List<Problem> problems = new ArrayList<>();
        Optional<URI> url = url(problems);
        Optional<BootstrapToken> parsed = token(problems);
        Optional<Trust> trust = trust(problems);
        if (!problems.isEmpty()) {
            throw new ProblemException(problems);
        }
        HostTree tree = setup.host().tree();
        setup.host().require(tree);
        BootstrapToken known = parsed.orElseThrow();
        try (JoinDiscovery discovery =
                JoinDiscovery.of(url.orElseThrow(), trust.orElseThrow(), known.value(), InstantSource.system())) {
            HostJoin join = new HostJoin(tree, discovery, known, InstantSource.system());
            return setup.host().dryRun() ? join(tree, join) : tree.exclusively(() -> join(tree, join));
        }
    }

    private int join(HostTree tree, HostJoin join) {
        return setup.run(spec, tree, join.cluster(pool), join.version(), new NodeSetup.Occasion() {
            @Override
            public void check(HostSettings settings) {
                join.requireWelcome(settings);
            }

            @Override
            public String complete(HostSettings settings) {
                join.await(settings, setup.host().timeout());
                return "done; Node " + settings.nodeName()
                        + (settings.podNetwork() ? " is ready" : " is there, and ready with the network add-on");
            }
        });
    }

    private Optional<URI> url(List<Problem> problems) {
        String text = server.contains("://") ? server : "https://" + server;
        try {
            URI url = URI.create(text);
            if ("https".equals(url.getScheme()) && url.getHost() != null && url.getPort() <= 65535) {
                return Optional.of(url);
            }
        } catch (IllegalArgumentException e) {
            // Reported below, with the other ways not to be such a URL.
        }
        problems.add(new Problem(
                ErrorCode.BAD_USAGE,
                "SERVER",
                "'" + server + "' is no URL of an API server",
                "https://HOST:PORT",
                MAKE_ONE));
        return Optional.empty();
    }

    private Optional<BootstrapToken> token(List<Problem> problems) {
        Optional<BootstrapToken> parsed = BootstrapToken.parse(token);
        if (parsed.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.BAD_USAGE,
                    "--token",
                    "is no token",
                    "six and sixteen letters or digits, as in abcdef.0123456789abcdef",
                    MAKE_ONE));
        }
        return parsed;
    }

    private Optional<Trust> trust(List<Problem> problems) {
        if (authorityHash.isPresent() == authorityFile.isPresent()) {
            problems.add(new Problem(
                    ErrorCode.BAD_USAGE,
                    "--ca-hash",
                    authorityHash.isPresent() ? "is given beside --ca-file" : "is missing, and so is --ca-file",
                    "one of both: who the cluster is, before the token is sent to it",
                    MAKE_ONE));
            return Optional.empty();
        }
        if (authorityFile.isPresent()) {
            return Optional.of(new Trust.Certificates(KubeconfigFile.readAuthorities(authorityFile.get())));
        }
        Optional<AuthorityHash> hash = authorityHash.flatMap(AuthorityHash::parse);
        if (hash.isEmpty()) {
            problems.add(new Problem(
                    ErrorCode.BAD_USAGE, "--ca-hash", "is no hash", "sha256: and 64 hexadecimal digits", MAKE_ONE));
        }
        return hash.map(Trust.Hash::new);
    }
}

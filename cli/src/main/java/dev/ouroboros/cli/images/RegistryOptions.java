package dev.ouroboros.cli.images;

import dev.ouroboros.cli.program.ThisMachine;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.registry.ProxyEnvironment;
import dev.ouroboros.model.registry.RegistryAccess;
import dev.ouroboros.model.registry.RegistryMirror;
import dev.ouroboros.render.pki.Pem;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How the containerd of a node gets images; the proxy is that of the environment. */
public final class RegistryOptions {
    @Option(
            names = "--registry-mirror",
            paramLabel = "[REGISTRY=]URL",
            description = {
                "Ask this server first for the images of a registry: of docker.io, if none is named; '*' is every registry that has no mirror"
                        + " of its own. May be given several times. $HTTP_PROXY, $HTTPS_PROXY and $NO_PROXY count for pulls as well."
            })
    private List<String> mirrors = List.of();

    @Option(
            names = "--registry-ca",
            paramLabel = "FILE",
            description = "Certificates, PEM, of authorities that mirrors and registries are signed by.")
    private Optional<Path> authority = Optional.empty();

    public RegistryAccess access() {
        return new RegistryAccess(
                mirrors.stream().map(RegistryOptions::mirror).toList(),
                authority.map(RegistryOptions::certificates),
                ProxyEnvironment.of(System.getenv()));
    }

    private static RegistryMirror mirror(String text) {
        return RegistryMirror.parse(text)
                .orElseThrow(() -> ProblemException.of(
                        ErrorCode.INVALID_FLAG,
                        "--registry-mirror",
                        "'" + text + "'",
                        "[REGISTRY=]URL, as in docker.io=https://mirror.example:5000",
                        "name the mirror by its URL, with http:// or https://"));
    }

    private static String certificates(Path file) {
        String text = ThisMachine.text(
                file, "the certificates of authorities, PEM", "give the path of one with --registry-ca");
        if (Pem.certificate(text).isEmpty()) {
            throw ProblemException.of(
                    ErrorCode.INVALID_KEY_MATERIAL,
                    file.toString(),
                    "has no certificate",
                    "certificates of authorities, PEM",
                    "take the file that a client of the mirror would trust; 'openssl x509 -in FILE -text' shows one");
        }
        return text;
    }
}

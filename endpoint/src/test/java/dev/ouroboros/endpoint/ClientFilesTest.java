package dev.ouroboros.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ouroboros.endpoint.testing.TestAuthority;
import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClientFilesTest {
    private static final URI SERVER = URI.create("https://127.0.0.1:2379");

    @TempDir
    private Path directory = Path.of("");

    private Path write(String name, String text) throws Exception {
        return Files.writeString(directory.resolve(name), text);
    }

    private static List<Problem> refused(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {
        List<Problem> problems = new ArrayList<>();
        assertThatThrownBy(() -> new ClientFiles(authorities, certificate, key).endpoint(SERVER))
                .isInstanceOfSatisfying(ProblemException.class, failure -> problems.addAll(failure.problems()));
        return problems;
    }

    @Test
    void acceptsWhatBelongsTogether() throws Exception {
        TestAuthority authority = new TestAuthority();
        var keys = TestAuthority.ellipticKeys();
        Path ca = write("ca.crt", TestAuthority.pem(authority.certificate()));
        Path certificate = write(
                "me.crt",
                TestAuthority.pem(authority.leaf("client", keys).chain().getFirst()));
        Path key = write("me.key", TestAuthority.traditionalPem(keys.getPrivate()));
        assertThat(new ClientFiles(Optional.of(ca), Optional.of(certificate), Optional.of(key))
                        .endpoint(SERVER)
                        .authenticated())
                .isTrue();
    }

    /** As a kubelet has them. */
    @Test
    void acceptsCertificateAndKeyInOneFile() throws Exception {
        var keys = TestAuthority.ellipticKeys();
        Path both = write(
                "kubelet-client-current.pem",
                TestAuthority.pem(
                                new TestAuthority().leaf("client", keys).chain().getFirst())
                        + TestAuthority.traditionalPem(keys.getPrivate()));
        assertThat(new ClientFiles(Optional.empty(), Optional.of(both), Optional.of(both))
                        .endpoint(SERVER)
                        .authenticated())
                .isTrue();
    }

    @Test
    void asksForTheOtherHalfOfAPair() throws Exception {
        Path file = write("me.pem", "");
        assertThat(refused(Optional.empty(), Optional.of(file), Optional.empty()))
                .containsExactlyElementsOf(refusedHalf(file, "is a client's certificate without its key"));
        assertThat(refused(Optional.empty(), Optional.empty(), Optional.of(file)))
                .containsExactlyElementsOf(refusedHalf(file, "is a client's key without its certificate"));
    }

    private static List<Problem> refusedHalf(Path file, String what) {
        return List.of(new Problem(
                ErrorCode.BAD_USAGE,
                file.toString(),
                what,
                "both or none",
                "give the certificate and its key, each with its flag, or neither"));
    }

    @Test
    void namesEveryFileThatCannotBeUsed() throws Exception {
        Path ca = write("ca.crt", "no PEM");
        Path certificate = directory.resolve("missing.crt");
        Path key = write("me.key", "no PEM");
        List<Problem> problems = refused(Optional.of(ca), Optional.of(certificate), Optional.of(key));
        assertThat(problems)
                .extracting(Problem::where)
                .containsExactly(ca.toString(), certificate.toString(), key.toString());
        assertThat(problems)
                .extracting(Problem::code)
                .containsExactly(ErrorCode.INVALID_KEY_MATERIAL, ErrorCode.NOT_FOUND, ErrorCode.INVALID_KEY_MATERIAL);
        assertThat(problems.getFirst().next()).contains("openssl x509 -in FILE -text");
        assertThat(problems.get(1).next()).contains("path of the file that is there");
    }

    @Test
    void saysThatAKeyIsOfAnotherCertificate() throws Exception {
        TestAuthority authority = new TestAuthority();
        Path certificate = write(
                "me.crt",
                TestAuthority.pem(authority
                        .leaf("client", TestAuthority.ellipticKeys())
                        .chain()
                        .getFirst()));
        Path key = write(
                "me.key",
                TestAuthority.traditionalPem(TestAuthority.ellipticKeys().getPrivate()));
        assertThat(refused(Optional.empty(), Optional.of(certificate), Optional.of(key)))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_KEY_MATERIAL);
                    assertThat(problem.where()).isEqualTo(key.toString());
                    assertThat(problem.what()).contains("does not belong to " + certificate);
                });
    }
}

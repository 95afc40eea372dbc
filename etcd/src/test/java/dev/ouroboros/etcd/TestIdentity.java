package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.ClientIdentity;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import org.bouncycastle.operator.OperatorCreationException;

/** An authority with what it signed, as files in a directory. */
final class TestIdentity {
    private final TestAuthority authority;
    private final Path directory;

    TestIdentity(Path directory) throws GeneralSecurityException, IOException, OperatorCreationException {
        this.authority = new TestAuthority();
        this.directory = directory;
        Files.writeString(directory.resolve("ca.crt"), TestAuthority.pem(authority.certificate()));
        leaf("server");
        leaf("client");
    }

    TestAuthority authority() {
        return authority;
    }

    void leaf(String name) throws GeneralSecurityException, IOException, OperatorCreationException {
        ClientIdentity leaf = authority.leaf(name, TestAuthority.ellipticKeys());
        Files.writeString(
                directory.resolve(name + ".crt"), TestAuthority.pem(leaf.chain().getFirst()));
        Files.writeString(directory.resolve(name + ".key"), TestAuthority.traditionalPem(leaf.key()));
    }

    Path file(String name) {
        return directory.resolve(name);
    }

    ClientFiles client() {
        return client("client");
    }

    ClientFiles client(String name) {
        return new ClientFiles(
                Optional.of(file("ca.crt")), Optional.of(file(name + ".crt")), Optional.of(file(name + ".key")));
    }

    ClientFiles nobody() {
        return new ClientFiles(Optional.of(file("ca.crt")), Optional.empty(), Optional.empty());
    }
}

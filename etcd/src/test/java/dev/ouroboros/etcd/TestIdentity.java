package dev.ouroboros.etcd;

import dev.ouroboros.endpoint.ClientFiles;
import dev.ouroboros.endpoint.ClientIdentity;
import dev.ouroboros.endpoint.testing.TestAuthority;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
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

    /** A server's side of a connection, which speaks HTTP/2 by one version of TLS. */
    SSLSocket accepting(Socket plain, String version) throws IOException {
        try {
            SSLContext context = authority().serverContext();
            SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(plain, null, false);
            tls.setUseClientMode(false);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setProtocols(new String[] {version});
            parameters.setApplicationProtocols(new String[] {"h2"});
            tls.setSSLParameters(parameters);
            return tls;
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }
}

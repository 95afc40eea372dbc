package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PublicKey;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/**
 * A request for a certificate (PKCS #10, RFC 2986). Only its key counts, as it proves that the sender has the private half. Names and usages are the
 * signer's decision ({@link Issuer#issue}).
 *
 * @param pem as it is sent
 */
public record SigningRequest(String pem, PublicKey key) {
    /** A request for a certificate of this key. */
    public static SigningRequest of(KeyPair keys, String commonName) {
        try {
            byte[] encoded = new JcaPKCS10CertificationRequestBuilder(
                            new X500Principal("CN=" + commonName), keys.getPublic())
                    .build(new JcaContentSignerBuilder(Credential.signatureAlgorithm(keys.getPrivate()))
                            .build(keys.getPrivate()))
                    .getEncoded();
            StringWriter text = new StringWriter();
            try (PemWriter writer = new PemWriter(text)) {
                writer.writeObject(new PemObject("CERTIFICATE REQUEST", encoded));
            }
            return new SigningRequest(text.toString(), keys.getPublic());
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        } catch (OperatorCreationException e) {
            throw new IllegalStateException("a key of ours cannot sign", e);
        }
    }

    /** The request in a text; empty when there is none, or when it is not signed with the key that it has. */
    public static Optional<SigningRequest> read(String pem) {
        try (PEMParser parser = new PEMParser(new StringReader(pem))) {
            if (!(parser.readObject() instanceof PKCS10CertificationRequest request)) {
                return Optional.empty();
            }
            PublicKey key = new JcaPKCS10CertificationRequest(request).getPublicKey();
            return request.isSignatureValid(new JcaContentVerifierProviderBuilder().build(key))
                    ? Optional.of(new SigningRequest(pem, key))
                    : Optional.empty();
        } catch (IOException | GeneralSecurityException | OperatorCreationException | PKCSException e) {
            // Not PEM, or of an algorithm nobody knows: the caller says whose it is.
            return Optional.empty();
        }
    }
}

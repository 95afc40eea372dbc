package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;
import org.jspecify.annotations.Nullable;

/** PEM text of certificates and keys. Keys are written as PKCS #8; PKCS #1 and SEC 1 are read too. */
public final class Pem {
    private static final Pattern CERTIFICATE =
            Pattern.compile("-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\r?\n?");

    private Pem() {}

    public static String of(X509Certificate certificate) {
        try {
            return write("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate of ours cannot be encoded", e);
        }
    }

    public static String of(PrivateKey key) {
        return write("PRIVATE KEY", encoded(key));
    }

    public static String of(PublicKey key) {
        return write("PUBLIC KEY", encoded(key));
    }

    /** The first certificate of the text; empty when there is none that can be read. */
    public static Optional<X509Certificate> certificate(String text) {
        return first(
                text,
                entry -> entry instanceof X509CertificateHolder holder
                        ? new JcaX509CertificateConverter().getCertificate(holder)
                        : null);
    }

    /** Every certificate of the text that can be read. */
    public static Stream<X509Certificate> certificates(String text) {
        return Stream.of(text.split("(?=-----BEGIN )")).flatMap(block -> certificate(block).stream());
    }

    /** The text with another certificate at its end, if it is not among those that are there. */
    static String with(String text, X509Certificate certificate) {
        String all = text.endsWith("\n") ? text : text + "\n";
        boolean there = certificates(all).anyMatch(certificate::equals);
        return there ? text : all + of(certificate);
    }

    /** The text with another certificate in the place of its first one; all else stays. */
    public static String withFirst(String text, X509Certificate certificate) {
        return CERTIFICATE.matcher(text).find()
                ? CERTIFICATE.matcher(text).replaceFirst(Matcher.quoteReplacement(of(certificate)))
                : of(certificate) + text;
    }

    /** The first private key of the text; empty when there is none that can be read without a password. */
    public static Optional<PrivateKey> privateKey(String text) {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        return first(text, entry -> switch (entry) {
            case PEMKeyPair pair -> converter.getPrivateKey(pair.getPrivateKeyInfo());
            case PrivateKeyInfo info -> converter.getPrivateKey(info);
            default -> null;
        });
    }

    /** The first certificate of one text and the first private key of another; empty where one of them is not there, or they do not belong together. */
    public static Optional<Credential> credential(String certificate, String privateKey) {
        return certificate(certificate)
                .flatMap(found -> privateKey(privateKey).map(key -> new Credential(found, key)))
                .filter(Credential::fits);
    }

    /** The first public key of the text. */
    public static Optional<PublicKey> publicKey(String text) {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        return first(text, entry -> entry instanceof SubjectPublicKeyInfo info ? converter.getPublicKey(info) : null);
    }

    private interface Conversion<T> {
        @Nullable
        T apply(Object entry) throws PEMException, CertificateException;
    }

    private static <T> Optional<T> first(String text, Conversion<T> conversion) {
        try (PEMParser parser = new PEMParser(new StringReader(text))) {
            for (Object entry = parser.readObject(); entry != null; entry = parser.readObject()) {
                T converted = conversion.apply(entry);
                if (converted != null) {
                    return Optional.of(converted);
                }
            }
            return Optional.empty();
        } catch (IOException | CertificateException e) {
            // Not PEM, or of an algorithm nobody knows: the caller says which file it is.
            return Optional.empty();
        }
    }

    private static byte[] encoded(java.security.Key key) {
        byte[] encoded = key.getEncoded();
        if (encoded == null) {
            throw new IllegalStateException("a key that cannot be exported");
        }
        return encoded;
    }

    private static String write(String type, byte[] content) {
        StringWriter text = new StringWriter();
        try (PemWriter writer = new PemWriter(text)) {
            writer.writeObject(new PemObject(type, content));
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return text.toString();
    }
}

package dev.ouroboros.render.pki;

import dev.ouroboros.model.credential.Credential;
import dev.ouroboros.render.cluster.AlternativeName;
import dev.ouroboros.render.cluster.KeyAlgorithm;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes keys and certificates. */
public final class Issuer {
    /** How long a certification authority is valid. */
    public static final Duration CA_LIFETIME = Duration.ofDays(3650);

    /** How long a leaf is valid; it never outlives its authority. */
    public static final Duration LEAF_LIFETIME = Duration.ofDays(365);

    /** Clocks of other machines may be behind ours by as much. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(10);

    private static final int SERIAL_BITS = 127;

    /** What a certificate says of its own key and of its authority's. */
    private static final Set<ASN1ObjectIdentifier> OF_KEYS =
            Set.of(Extension.authorityKeyIdentifier, Extension.subjectKeyIdentifier);

    private final KeyAlgorithm algorithm;
    private final InstantSource clock;
    private final SecureRandom random;

    public Issuer(KeyAlgorithm algorithm, InstantSource clock, SecureRandom random) {
        this.algorithm = algorithm;
        this.clock = clock;
        this.random = random;
    }

    public KeyPair newKeys() {
        try {
            KeyPairGenerator generator = switch (algorithm) {
                case ECDSA_P256 -> {
                    KeyPairGenerator curve = KeyPairGenerator.getInstance("EC");
                    curve.initialize(new ECGenParameterSpec("secp256r1"), random);
                    yield curve;
                }
                case RSA_2048 -> {
                    KeyPairGenerator rsa = KeyPairGenerator.getInstance("RSA");
                    rsa.initialize(2048, random);
                    yield rsa;
                }
            };
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK makes " + algorithm.label() + " keys", e);
        }
    }

    /** A new self-signed certification authority. */
    public Credential newAuthority(String commonName, String organization) {
        return newAuthority(new X500Principal("CN=" + commonName + ",O=" + organization));
    }

    /**
     * A self-signed certification authority that replaces another. Its name has the time behind the former one's, so that no certificate of either is
     * taken for one of the other, and its key is of the same kind.
     */
    public static Credential successorOf(X509Certificate former, InstantSource clock, SecureRandom random) {
        KeyAlgorithm algorithm = Fitness.algorithmOf(former.getPublicKey()).orElse(KeyAlgorithm.ECDSA_P256);
        return new Issuer(algorithm, clock, random).newAuthority(DatedName.of(former, clock.instant()));
    }

    private Credential newAuthority(X500Principal name) {
        KeyPair keys = newKeys();
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                name,
                serialNumber(),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(now.plus(CA_LIFETIME)),
                name,
                keys.getPublic());
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
                    .addExtension(
                            Extension.keyUsage,
                            true,
                            new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyCertSign | KeyUsage.cRLSign))
                    .addExtension(
                            Extension.subjectKeyIdentifier,
                            false,
                            extensions.createSubjectKeyIdentifier(keys.getPublic()));
            return new Credential(sign(builder, keys.getPrivate()), keys.getPrivate());
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot make the authority " + name, e);
        }
    }

    /** A certificate for a public key as the profile says, signed by the authority. */
    public X509Certificate issue(Credential authority, Profile profile, PublicKey key) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
        Instant authorityEnds = authority.certificate().getNotAfter().toInstant();
        Instant ends = now.plus(LEAF_LIFETIME);
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                authority.certificate(),
                serialNumber(),
                Date.from(now.minus(CLOCK_SKEW)),
                Date.from(ends.isAfter(authorityEnds) ? authorityEnds : ends),
                profile.subject(),
                key);
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                    .addExtension(
                            Extension.keyUsage,
                            true,
                            new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyEncipherment))
                    .addExtension(Extension.extendedKeyUsage, false, usages(profile))
                    .addExtension(
                            Extension.authorityKeyIdentifier,
                            false,
                            extensions.createAuthorityKeyIdentifier(authority.certificate()));
            if (!profile.names().isEmpty()) {
                builder.addExtension(Extension.subjectAlternativeName, false, names(profile));
            }
            return sign(builder, authority.privateKey());
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot issue " + profile.commonName(), e);
        }
    }

    /**
     * A leaf like the former one, with another validity: the same subject, names and usages. It begins when the former one began: if the clock had
     * jumped ahead when that was issued, and is right again, the new leaf is valid already.
     *
     * @param lifetime from now on; it never outlives its authority
     */
    public X509Certificate again(Credential authority, X509Certificate former, PublicKey key, Duration lifetime) {
        Instant authorityEnds = authority.certificate().getNotAfter().toInstant();
        Instant ends = clock.instant().truncatedTo(ChronoUnit.SECONDS).plus(lifetime);
        X509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                authority.certificate(),
                serialNumber(),
                Date.from(beginning(authority.certificate(), former)),
                Date.from(ends.isAfter(authorityEnds) ? authorityEnds : ends),
                former.getSubjectX500Principal(),
                key);
        try {
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            X509CertificateHolder known = new JcaX509CertificateHolder(former);
            for (Object each : known.getExtensionOIDs()) {
                ASN1ObjectIdentifier identifier = (ASN1ObjectIdentifier) each;
                if (!OF_KEYS.contains(identifier)) {
                    builder.addExtension(known.getExtension(identifier));
                }
            }
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(authority.certificate()));
            return sign(builder, authority.privateKey());
        } catch (CertIOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot issue " + former.getSubjectX500Principal() + " again", e);
        }
    }

    /** When a leaf begins: with the former one, but not before its authority; now, where the clock was ahead when the former one was issued. */
    private Instant beginning(X509Certificate authority, X509Certificate former) {
        Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS).minus(CLOCK_SKEW);
        Instant begins = earlier(former.getNotBefore().toInstant(), now);
        Instant authorityBegins = authority.getNotBefore().toInstant();
        return begins.isBefore(authorityBegins) ? authorityBegins : begins;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static ExtendedKeyUsage usages(Profile profile) {
        return new ExtendedKeyUsage(profile.usages().stream()
                .sorted()
                .map(usage -> KeyPurposeId.getInstance(new ASN1ObjectIdentifier(usage.identifier())))
                .toArray(KeyPurposeId[]::new));
    }

    private static GeneralNames names(Profile profile) {
        return new GeneralNames(profile.names().stream()
                .map(name -> switch (name) {
                    case AlternativeName.Dns dns -> new GeneralName(GeneralName.dNSName, dns.value());
                    case AlternativeName.Ip ip -> new GeneralName(GeneralName.iPAddress, ip.value());
                })
                .toArray(GeneralName[]::new));
    }

    private static X509Certificate sign(X509v3CertificateBuilder builder, PrivateKey key) {
        try {
            ContentSigner signer = new JcaContentSignerBuilder(Credential.signatureAlgorithm(key)).build(key);
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (OperatorCreationException | CertificateException e) {
            throw new IllegalStateException("cannot sign a certificate", e);
        }
    }

    private BigInteger serialNumber() {
        return new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE);
    }
}

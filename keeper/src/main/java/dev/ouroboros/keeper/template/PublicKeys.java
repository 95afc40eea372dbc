package dev.ouroboros.keeper.template;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.KeyAgreement;

/** Which keys and certificates are in a PEM file, so that two files can be compared for what they hold. */
public final class PublicKeys {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    /** What stands before a PKCS #1 private key in PKCS #8: version 0 and the algorithm rsaEncryption (RFC 8017, A.1). */
    private static final byte[] RSA_PRIVATE = {
        0x02,
        0x01,
        0x00,
        0x30,
        0x0d,
        0x06,
        0x09,
        0x2a,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xf7,
        0x0d,
        0x01,
        0x01,
        0x01,
        0x05,
        0x00
    };
    /** The same before a PKCS #1 public key in X.509. */
    private static final byte[] RSA_ALGORITHM = {
        0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00
    };

    /** id-ecPublicKey (RFC 5480, 2.1.1), which private and public keys name. */
    private static final byte[] EC_ALGORITHM = HexFormat.of().parseHex("06072a8648ce3d0201");

    private PublicKeys() {}

    /** Names for every certificate, one each. */
    static Set<String> certificates(String pem) {
        Set<String> found = new LinkedHashSet<>();
        Matcher block = BLOCK.matcher(pem);
        while (block.find()) {
            if (block.group(1).equals("CERTIFICATE")) {
                found.add(block.group(2).replaceAll("\\s", ""));
            }
        }
        return found;
    }

    /** Names for the public halves of all keys of a file; empty when a key is not understood. */
    public static Optional<Set<String>> publicKeys(String pem) {
        Set<String> found = new LinkedHashSet<>();
        Matcher block = BLOCK.matcher(pem);
        while (block.find()) {
            Optional<String> key = publicKey(block.group(1), decoded(block.group(2)));
            if (key.isEmpty()) {
                return Optional.empty();
            }
            found.add(key.get());
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(found);
    }

    /** The public keys of a file, one for each block; empty when one is no public key that is understood. */
    public static Optional<List<PublicKey>> readable(String pem) {
        List<PublicKey> found = new ArrayList<>();
        Matcher block = BLOCK.matcher(pem);
        while (block.find()) {
            try {
                Optional<PublicKey> key = publicKeyOf(block.group(1), decoded(block.group(2)));
                if (key.isEmpty()) {
                    return Optional.empty();
                }
                found.add(key.get());
            } catch (GeneralSecurityException e) {
                return Optional.empty();
            }
        }
        return Optional.of(found);
    }

    /** The name that {@link #publicKeys} gives a key. */
    public static String nameOf(PublicKey key) {
        return switch (key) {
            case RSAPublicKey rsa -> name(rsa.getModulus(), rsa.getPublicExponent());
            case ECPublicKey curve -> name(curve, curve.getW().getAffineX());
            default -> throw new IllegalArgumentException("no key of a kind that is read here: " + key.getAlgorithm());
        };
    }

    private static byte[] decoded(String base64) {
        return Base64.getMimeDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII));
    }

    private static Optional<String> publicKey(String kind, byte[] der) {
        try {
            return switch (kind) {
                case "PRIVATE KEY" -> ofPrivate(der);
                case "RSA PRIVATE KEY" -> ofPrivate(sequence(RSA_PRIVATE, wrap((byte) 0x04, der)));
                default -> publicKeyOf(kind, der).map(PublicKeys::nameOf);
            };
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private static Optional<PublicKey> publicKeyOf(String kind, byte[] der) throws GeneralSecurityException {
        return switch (kind) {
            case "PUBLIC KEY" ->
                Optional.of(
                        contains(der, EC_ALGORITHM)
                                ? KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(der))
                                : KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der)));
            case "RSA PUBLIC KEY" -> {
                byte[] bits = new byte[der.length + 1];
                System.arraycopy(der, 0, bits, 1, der.length);
                yield Optional.of(KeyFactory.getInstance("RSA")
                        .generatePublic(new X509EncodedKeySpec(sequence(RSA_ALGORITHM, wrap((byte) 0x03, bits)))));
            }
            default -> Optional.empty();
        };
    }

    private static Optional<String> ofPrivate(byte[] pkcs8) throws GeneralSecurityException {
        PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(pkcs8);
        if (contains(pkcs8, EC_ALGORITHM)) {
            return KeyFactory.getInstance("EC").generatePrivate(encoded) instanceof ECPrivateKey key
                    ? Optional.of(name(key, publicCoordinate(key)))
                    : Optional.empty();
        }
        return KeyFactory.getInstance("RSA").generatePrivate(encoded) instanceof RSAPrivateCrtKey key
                ? Optional.of(name(key.getModulus(), key.getPublicExponent()))
                : Optional.empty();
    }

    /**
     * The first coordinate of the public half of a key on a curve, which not every form of the private key contains: what a key
     * agreement with the curve's own base point yields (SEC 1, 3.3.1).
     */
    private static BigInteger publicCoordinate(ECPrivateKey key) throws GeneralSecurityException {
        ECPublicKeySpec base = new ECPublicKeySpec(key.getParams().getGenerator(), key.getParams());
        KeyAgreement agreement = KeyAgreement.getInstance("ECDH");
        agreement.init(key);
        agreement.doPhase(KeyFactory.getInstance("EC").generatePublic(base), true);
        return new BigInteger(1, agreement.generateSecret());
    }

    private static boolean contains(byte[] all, byte[] part) {
        return HexFormat.of().formatHex(all).contains(HexFormat.of().formatHex(part));
    }

    private static String name(BigInteger modulus, BigInteger exponent) {
        return modulus.toString(16) + ":" + exponent.toString(16);
    }

    private static String name(ECKey key, BigInteger coordinate) {
        return "EC " + key.getParams().getOrder().toString(16) + ":" + coordinate.toString(16);
    }

    private static byte[] sequence(byte[] head, byte[] tail) {
        return wrap(
                (byte) 0x30,
                ByteBuffer.allocate(head.length + tail.length)
                        .put(head)
                        .put(tail)
                        .array());
    }

    /** Tag, length and content; keys are shorter than 64 KiB. */
    private static byte[] wrap(byte tag, byte[] content) {
        int length = content.length;
        byte[] lengths = length < 0x80
                ? new byte[] {(byte) length}
                : length < 0x100
                        ? new byte[] {(byte) 0x81, (byte) length}
                        : new byte[] {(byte) 0x82, (byte) (length >> 8), (byte) length};
        return ByteBuffer.allocate(1 + lengths.length + length)
                .put(tag)
                .put(lengths)
                .put(content)
                .array();
    }
}

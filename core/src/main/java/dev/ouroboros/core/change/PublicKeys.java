package dev.ouroboros.core.change;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which keys and certificates are in a PEM file, so that two files can be compared for what they hold. */
final class PublicKeys {
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

    /** Names for the public halves of all keys of a file; empty when one cannot be told. */
    static Optional<Set<String>> publicKeys(String pem) {
        Set<String> found = new LinkedHashSet<>();
        Matcher block = BLOCK.matcher(pem);
        while (block.find()) {
            Optional<String> key = publicKey(
                    block.group(1),
                    Base64.getMimeDecoder().decode(block.group(2).getBytes(StandardCharsets.US_ASCII)));
            if (key.isEmpty()) {
                return Optional.empty();
            }
            found.add(key.get());
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(found);
    }

    /** Of an elliptic curve the public half is not in every form of the private key, so that only RSA is told. */
    private static Optional<String> publicKey(String kind, byte[] der) {
        try {
            KeyFactory rsa = KeyFactory.getInstance("RSA");
            return switch (kind) {
                case "PRIVATE KEY" -> ofPrivate(rsa, der);
                case "RSA PRIVATE KEY" -> ofPrivate(rsa, sequence(RSA_PRIVATE, wrap((byte) 0x04, der)));
                case "PUBLIC KEY" -> ofPublic(rsa, der);
                case "RSA PUBLIC KEY" -> {
                    byte[] bits = new byte[der.length + 1];
                    System.arraycopy(der, 0, bits, 1, der.length);
                    yield ofPublic(rsa, sequence(RSA_ALGORITHM, wrap((byte) 0x03, bits)));
                }
                default -> Optional.empty();
            };
        } catch (GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> ofPrivate(KeyFactory rsa, byte[] der) throws GeneralSecurityException {
        return rsa.generatePrivate(new PKCS8EncodedKeySpec(der)) instanceof RSAPrivateCrtKey key
                ? Optional.of(name(key.getModulus(), key.getPublicExponent()))
                : Optional.empty();
    }

    private static Optional<String> ofPublic(KeyFactory rsa, byte[] der) throws GeneralSecurityException {
        return rsa.generatePublic(new X509EncodedKeySpec(der)) instanceof RSAPublicKey key
                ? Optional.of(name(key.getModulus(), key.getPublicExponent()))
                : Optional.empty();
    }

    private static String name(BigInteger modulus, BigInteger exponent) {
        return modulus.toString(16) + ":" + exponent.toString(16);
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

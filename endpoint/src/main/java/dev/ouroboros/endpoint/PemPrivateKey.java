package dev.ouroboros.endpoint;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** Reads the keys that kubeconfigs hold; the JDK alone reads neither PKCS#1 nor SEC1. */
final class PemPrivateKey {
    private PemPrivateKey() {}

    /**
     * The first private key of a PEM text: PKCS#8, PKCS#1 (RSA PRIVATE KEY) or SEC1 (EC PRIVATE KEY, with or without EC
     * PARAMETERS before it).
     *
     * @throws IOException when there is none, it is encrypted or it cannot be read
     */
    static PrivateKey read(byte[] pem) throws IOException {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        try (PEMParser parser = new PEMParser(new StringReader(new String(pem, StandardCharsets.UTF_8)))) {
            for (Object object = parser.readObject(); object != null; object = parser.readObject()) {
                switch (object) {
                    case PEMKeyPair pair -> {
                        // Not getKeyPair: the public part is optional in SEC1.
                        return converter.getPrivateKey(pair.getPrivateKeyInfo());
                    }
                    case PrivateKeyInfo key -> {
                        return converter.getPrivateKey(key);
                    }
                    default -> {
                        // EC PARAMETERS, or a certificate in the same file: the key comes after it.
                    }
                }
            }
        }
        throw new IOException("no unencrypted private key in it");
    }
}

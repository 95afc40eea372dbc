package dev.ouroboros.snapshot.encryption;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import org.bouncycastle.crypto.engines.XSalsa20Engine;
import org.bouncycastle.crypto.macs.Poly1305;
import org.bouncycastle.crypto.params.KeyParameter;
import org.bouncycastle.crypto.params.ParametersWithIV;

/**
 * NaCl's secretbox, XSalsa20 and Poly1305: nonce, tag, text. The first 32 bytes of the key stream are the tag's key.
 *
 * @see <a href="https://nacl.cr.yp.to/secretbox.html">secretbox</a>
 */
final class SecretBox {
    private static final int NONCE = 24;
    private static final int TAG = 16;
    private static final int TAG_KEY = 32;

    private SecretBox() {}

    static Optional<byte[]> open(byte[] key, byte[] sealed) {
        if (sealed.length < NONCE + TAG) {
            return Optional.empty();
        }
        XSalsa20Engine cipher = new XSalsa20Engine();
        cipher.init(false, new ParametersWithIV(new KeyParameter(key), sealed, 0, NONCE));
        byte[] tagKey = new byte[TAG_KEY];
        cipher.processBytes(tagKey, 0, TAG_KEY, tagKey, 0);
        Poly1305 mac = new Poly1305();
        mac.init(new KeyParameter(tagKey));
        int start = NONCE + TAG;
        mac.update(sealed, start, sealed.length - start);
        byte[] tag = new byte[TAG];
        mac.doFinal(tag, 0);
        if (!MessageDigest.isEqual(tag, Arrays.copyOfRange(sealed, NONCE, start))) {
            return Optional.empty();
        }
        byte[] text = new byte[sealed.length - start];
        cipher.processBytes(sealed, start, text.length, text, 0);
        return Optional.of(text);
    }
}

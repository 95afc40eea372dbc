package dev.ouroboros.runtime.image;

import java.net.ProtocolException;
import java.util.regex.Pattern;

/**
 * What an image consists of: a blob, by its content (OCI image specification, "Descriptors").
 *
 * @param digest {@code sha256:} and 64 hexadecimal digits; no other algorithm is in use
 */
record Descriptor(String mediaType, String digest, long size) {
    private static final String ALGORITHM = "sha256:";
    private static final Pattern DIGEST = Pattern.compile(ALGORITHM + "[0-9a-f]{64}");

    /** Larger ones do not fit into the archive's headers. */
    private static final long MAX_SIZE = 1L << 33;

    Descriptor {
        if (!DIGEST.matcher(digest).matches() || size < 0 || size >= MAX_SIZE) {
            throw new IllegalArgumentException("digest " + digest + ", size " + size);
        }
    }

    /** A descriptor that somebody else wrote. */
    static Descriptor of(String mediaType, String digest, long size) throws ProtocolException {
        if (!DIGEST.matcher(digest).matches()) {
            throw new ProtocolException("'" + digest + "' is no SHA-256 digest");
        }
        if (size < 0 || size >= MAX_SIZE) {
            throw new ProtocolException(digest + " has a size of " + size + " bytes");
        }
        return new Descriptor(mediaType, digest, size);
    }

    String hex() {
        return digest.substring(ALGORITHM.length());
    }

    /** Both of OCI and of Docker. */
    boolean isIndex() {
        return mediaType.equals("application/vnd.oci.image.index.v1+json")
                || mediaType.equals("application/vnd.docker.distribution.manifest.list.v2+json");
    }

    boolean isManifest() {
        return mediaType.equals("application/vnd.oci.image.manifest.v1+json")
                || mediaType.equals("application/vnd.docker.distribution.manifest.v2+json");
    }
}

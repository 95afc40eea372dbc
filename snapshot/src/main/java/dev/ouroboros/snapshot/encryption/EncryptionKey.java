package dev.ouroboros.snapshot.encryption;

/**
 * A key of an EncryptionConfiguration.
 *
 * @param where in the file, for messages
 */
@SuppressWarnings("ArrayRecordComponent") // a secret: compared and printed by nobody
record EncryptionKey(Provider provider, String name, byte[] secret, String where) {
    @Override
    public String toString() {
        return provider.label() + " " + name;
    }
}

package dev.ouroboros.model.version;

import java.util.Optional;

/** The version of Ouroboros itself, which the build writes into this module's jar. */
public final class ProductVersion {
    /** Of classes that are in no jar, as in a module's own tests. */
    private static final String UNPACKAGED = "development";

    private ProductVersion() {}

    public static String current() {
        return Optional.ofNullable(ProductVersion.class.getPackage().getImplementationVersion())
                .orElse(UNPACKAGED);
    }
}

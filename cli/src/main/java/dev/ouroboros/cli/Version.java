package dev.ouroboros.cli;

import picocli.CommandLine.IVersionProvider;

/** Reads the version that the build wrote into the jar's manifest. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {text()};
    }

    static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return "ouro " + (version == null ? "development" : version);
    }
}

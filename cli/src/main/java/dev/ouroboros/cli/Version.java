package dev.ouroboros.cli;

import picocli.CommandLine.IVersionProvider;

/** Reads the version that the build wrote into the jar's manifest. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"ouro " + (version == null ? "development" : version)};
    }
}

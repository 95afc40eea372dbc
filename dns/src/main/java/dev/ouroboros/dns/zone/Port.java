package dev.ouroboros.dns.zone;

/**
 * A port of a Service or of its endpoints.
 *
 * @param name empty for one without
 * @param protocol in small letters
 */
public record Port(String name, String protocol, int number) {}

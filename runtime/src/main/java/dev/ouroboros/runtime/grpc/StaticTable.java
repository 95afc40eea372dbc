package dev.ouroboros.runtime.grpc;

import java.net.ProtocolException;
import java.util.List;

/** Headers that HPACK knows by number (RFC 7541, appendix A), {@code name} or {@code name=value}; the first one is number 1. */
final class StaticTable {
    private static final List<String> ENTRIES = List.of(
            ":authority",
            ":method=GET",
            ":method=POST",
            ":path=/",
            ":path=/index.html",
            ":scheme=http",
            ":scheme=https",
            ":status=200",
            ":status=204",
            ":status=206",
            ":status=304",
            ":status=400",
            ":status=404",
            ":status=500",
            "accept-charset",
            "accept-encoding=gzip, deflate",
            "accept-language",
            "accept-ranges",
            "accept",
            "access-control-allow-origin",
            "age",
            "allow",
            "authorization",
            "cache-control",
            "content-disposition",
            "content-encoding",
            "content-language",
            "content-length",
            "content-location",
            "content-range",
            "content-type",
            "cookie",
            "date",
            "etag",
            "expect",
            "expires",
            "from",
            "host",
            "if-match",
            "if-modified-since",
            "if-none-match",
            "if-range",
            "if-unmodified-since",
            "last-modified",
            "link",
            "location",
            "max-forwards",
            "proxy-authenticate",
            "proxy-authorization",
            "range",
            "referer",
            "refresh",
            "retry-after",
            "server",
            "set-cookie",
            "strict-transport-security",
            "transfer-encoding",
            "user-agent",
            "vary",
            "via",
            "www-authenticate");

    private StaticTable() {}

    static String name(int index) throws ProtocolException {
        String entry = entry(index);
        int end = entry.indexOf('=');
        return end < 0 ? entry : entry.substring(0, end);
    }

    static String value(int index) throws ProtocolException {
        String entry = entry(index);
        int end = entry.indexOf('=');
        return end < 0 ? "" : entry.substring(end + 1);
    }

    private static String entry(int index) throws ProtocolException {
        if (index < 1 || index > ENTRIES.size()) {
            throw new ProtocolException("header number " + index + " of a table of " + ENTRIES.size());
        }
        return ENTRIES.get(index - 1);
    }
}

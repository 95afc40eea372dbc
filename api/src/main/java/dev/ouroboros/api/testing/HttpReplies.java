package dev.ouroboros.api.testing;

import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.json.JsonText;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a fake API server writes: whole answers, and streams of watch events. */
final class HttpReplies {
    private HttpReplies() {}

    static void beginChunks(OutputStream output) throws IOException {
        output.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        output.flush();
    }

    static void chunk(OutputStream output, Json event) throws IOException {
        byte[] line =
                (new String(JsonText.write(event), StandardCharsets.UTF_8) + "\n").getBytes(StandardCharsets.UTF_8);
        output.write((Integer.toHexString(line.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        output.write(line);
        output.write("\r\n".getBytes(StandardCharsets.US_ASCII));
        output.flush();
    }

    static void send(OutputStream output, int status, Json body) throws IOException {
        send(output, status, Map.of(), new String(JsonText.write(body), StandardCharsets.UTF_8));
    }

    static void send(OutputStream output, int status, Map<String, String> headers, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        StringBuilder head =
                new StringBuilder("HTTP/1.1 " + status + " Said\r\nContent-Length: " + body.length + "\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        output.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        output.write(body);
        output.flush();
    }
}

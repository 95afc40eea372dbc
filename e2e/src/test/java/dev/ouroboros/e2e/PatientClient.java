package dev.ouroboros.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;

/**
 * A client on the node itself that asks the API every two seconds, over a new connection each time, and waits a minute for an answer, as long as an API server itself gives a request. On an emulated machine whose control plane boots one
 * that serves well may need more than the ten seconds of {@link SlowNodeCases}, and has needed half a minute.
 */
record PatientClient(RealHost host) {
    private static final String ANSWERED = "200 ";

    void begin() {
        host.require("""
                mkdir -p /root/client && cd /root/client && rm -f log
                sed -n 's/.*client-certificate-data: //p' /root/real-host/assets/auth/kubeconfig | base64 -d >certificate
                sed -n 's/.*client-key-data: //p' /root/real-host/assets/auth/kubeconfig | base64 -d >key
                sed -n 's/.*certificate-authority-data: //p' /root/real-host/assets/auth/kubeconfig | base64 -d >authority
                cat >ask <<'END'
                while true; do
                    curl -sS -o /dev/null -m 60 -w '%{http_code} %{time_total}\\n' --cacert authority --cert certificate --key key \\
                        https://10.0.0.5:6443/api/v1/namespaces/kube-system 2>/dev/null | sed "s/$/ $(date +%T)/" >>log || true
                    sleep 2
                done
                END
                systemd-run --quiet --collect --unit=patient-client --working-directory=/root/client bash ask
                """);
    }

    /** A line an answer: status, seconds, time. */
    List<String> end() {
        return host.require("systemctl stop patient-client; cat /root/client/log")
                .lines()
                .toList();
    }

    List<String> sinceFirstAnswer(List<String> answers) {
        return answers.stream()
                .dropWhile(answer -> !answer.startsWith(ANSWERED))
                .toList();
    }

    void requireNoFailure(List<String> answers) {
        System.err.println("%d requests of a patient client, the longest %s s"
                .formatted(
                        answers.size(),
                        answers.stream()
                                .map(answer -> answer.split(" ", -1)[1])
                                .max(Comparator.comparingDouble(Double::parseDouble))
                                .orElse("none")));
        assertThat(answers).isNotEmpty().allMatch(answer -> answer.startsWith(ANSWERED));
    }
}

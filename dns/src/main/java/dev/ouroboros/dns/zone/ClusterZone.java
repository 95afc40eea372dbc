package dev.ouroboros.dns.zone;

import dev.ouroboros.dns.zone.ClusterView.HostName;
import dev.ouroboros.dns.zone.EndpointSlice.Endpoint;
import dev.ouroboros.dns.zone.Service.Addressing;
import dev.ouroboros.model.net.Cidr;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.NameTooLongException;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * The names of a cluster (kubernetes/dns, docs/specification.md, 1.1.0). Below the domain of Services:
 *
 * <table>
 *   <caption>Names and their records</caption>
 *   <tr><td>dns-version</td><td>TXT</td></tr>
 *   <tr><td>SERVICE.NAMESPACE.svc</td><td>A and AAAA: the addresses, of a headless one those of its endpoints that are ready; CNAME of an
 *       ExternalName; SRV of every port, which the specification does not ask for and peers of a StatefulSet look for</td></tr>
 *   <tr><td>HOSTNAME.SERVICE.NAMESPACE.svc</td><td>A and AAAA of an endpoint that is ready</td></tr>
 *   <tr><td>_PORT._PROTOCOL.SERVICE.NAMESPACE.svc</td><td>SRV: the Service, or its endpoints</td></tr>
 *   <tr><td>A-B-C-D.NAMESPACE.pod</td><td>A or AAAA: the address in the name, whoever has it</td></tr>
 * </table>
 *
 * <p>A PTR leads from an address to a Service, or to the endpoints of headless ones; an address in the cluster's blocks that nobody has is
 * no name, one elsewhere is for others to answer. A name that is only above others has no data.
 */
public final class ClusterZone {
    /** What {@code dns-version} says. */
    static final String SCHEMA_VERSION = "1.1.0";

    private static final String SERVICES = "svc";
    private static final String PODS = "pod";
    private static final String VERSION = "dns-version";
    private static final int PRIORITY = 0;
    private static final int WEIGHT = 100;
    private static final long REFRESH = 7200;
    private static final long RETRY = 1800;
    private static final long EXPIRE = 86_400;

    private final Name zone;
    private final Name server;
    private final Name mailbox;
    private final List<Cidr> blocks;
    private final long ttl;

    /**
     * @param domain of Services, as in {@code cluster.local}
     * @param blocks of pods and Services
     * @param ttl of every record, in seconds
     */
    public ClusterZone(String domain, List<Cidr> blocks, long ttl) {
        this.zone = Name.fromConstantString(domain.toLowerCase(Locale.ROOT) + ".");
        this.server = below("kube-dns.kube-system.svc").orElseThrow();
        this.mailbox = below("hostmaster").orElseThrow();
        this.blocks = List.copyOf(blocks);
        this.ttl = ttl;
    }

    /** Whether only the cluster can know the name: it is never asked of others. */
    public boolean owns(Name name) {
        return name.subdomain(zone);
    }

    /**
     * Looks a name up.
     *
     * @param name absolute, in any case
     * @param type as in {@link Type}
     */
    public Lookup look(Name name, int type, ClusterView view) {
        if (!owns(name)) {
            return reverse(name, type, view);
        }
        String[] labels = new String[name.labels() - zone.labels()];
        for (int label = 0; label < labels.length; label++) {
            labels[label] = name.getLabelString(label).toLowerCase(Locale.ROOT);
        }
        if (labels.length == 0) {
            return found(List.of(authority(zone), new NSRecord(zone, DClass.IN, ttl, server)), List.of(), type);
        }
        return switch (labels[labels.length - 1]) {
            case SERVICES -> inServices(name, labels, type, view);
            case PODS -> inPods(name, labels, type);
            case VERSION ->
                labels.length == 1
                        ? found(List.of(new TXTRecord(name, DClass.IN, ttl, SCHEMA_VERSION)), List.of(), type)
                        : noSuchName();
            default -> noSuchName();
        };
    }

    private Lookup inServices(Name name, String[] labels, int type, ClusterView view) {
        int own = labels.length - 1;
        if (own == 0) {
            return noData();
        }
        String namespace = labels[own - 1];
        if (own == 1) {
            return view.hasNamespace(namespace) ? noData() : noSuchName();
        }
        Optional<Service> service = view.service(new ObjectKey(namespace, labels[own - 2]));
        if (service.isEmpty()) {
            return noSuchName();
        }
        ServiceRecords records = new ServiceRecords(service.get(), view);
        return switch (own) {
            case 2 -> records.service(name, type);
            case 3 ->
                labels[0].startsWith("_")
                        ? records.protocol(labels[0].substring(1))
                        : records.endpoint(name, labels[0], type);
            case 4 ->
                labels[0].startsWith("_") && labels[1].startsWith("_")
                        ? records.port(name, labels[0].substring(1), labels[1].substring(1), type)
                        : noSuchName();
            default -> noSuchName();
        };
    }

    private Lookup inPods(Name name, String[] labels, int type) {
        if (labels.length < 3) {
            return noData();
        }
        String dashed = labels[0];
        Optional<InetAddress> address =
                Cidr.address(dashed.replace('-', '.')).or(() -> Cidr.address(dashed.replace('-', ':')));
        return labels.length == 3 && address.isPresent()
                ? found(List.of(addressRecord(name, address.get())), List.of(), type)
                : noSuchName();
    }

    private Lookup reverse(Name name, int type, ClusterView view) {
        Optional<InetAddress> address = ReverseNames.address(name);
        if (address.isEmpty()) {
            return new Lookup.Elsewhere();
        }
        Optional<Cidr> block = blocks.stream()
                .filter(candidate -> candidate.contains(address.get()))
                .findFirst();
        List<Record> pointers = new ArrayList<>();
        for (HostName known : view.names(address.get())) {
            below((known.label().isEmpty() ? "" : known.label() + ".") + path(known.service()))
                    .ifPresent(target -> pointers.add(new PTRRecord(name, DClass.IN, ttl, target)));
        }
        if (!pointers.isEmpty()) {
            return found(pointers, List.of(), type);
        }
        return block.<Lookup>map(inside -> new Lookup.NoSuchName(authority(ReverseNames.zone(inside))))
                .orElseGet(Lookup.Elsewhere::new);
    }

    private static String path(ObjectKey service) {
        return service.name() + "." + service.namespace() + "." + SERVICES;
    }

    /** The records of one Service. */
    private final class ServiceRecords {
        private final Service service;
        private final List<EndpointSlice> slices;

        ServiceRecords(Service service, ClusterView view) {
            this.service = service;
            this.slices = view.slices(service.key());
        }

        Lookup service(Name name, int type) {
            return switch (service.addressing()) {
                case Addressing.External(String target) ->
                    absolute(target)
                            .<Lookup>map(other -> new Lookup.Alias(new CNAMERecord(name, DClass.IN, ttl, other)))
                            .orElseGet(ClusterZone.this::noData);
                case Addressing.ClusterIps(List<InetAddress> addresses) ->
                    withServices(name, type, addresses, service.ports());
                case Addressing.Headless() -> {
                    List<InetAddress> addresses = slices.stream()
                            .flatMap(slice -> slice.endpoints().stream())
                            .map(Endpoint::address)
                            .distinct()
                            .toList();
                    yield addresses.isEmpty() ? noSuchName() : withServices(name, type, addresses, List.of());
                }
            };
        }

        private Lookup withServices(Name name, int type, List<InetAddress> addresses, List<Port> ports) {
            List<Record> records = new ArrayList<>();
            addresses.forEach(address -> records.add(addressRecord(name, address)));
            if (type != Type.SRV) {
                return found(records, List.of(), type);
            }
            List<Record> additional = List.copyOf(records);
            records.clear();
            if (service.addressing() instanceof Addressing.Headless) {
                return endpointServices(name, Optional.empty());
            }
            ports.forEach(port -> records.add(service(name, port, name)));
            return found(records, additional, type);
        }

        Lookup endpoint(Name name, String label, int type) {
            List<Record> records = new ArrayList<>();
            for (EndpointSlice slice : slices) {
                for (Endpoint endpoint : slice.endpoints()) {
                    if (endpoint.label().equals(label)) {
                        records.add(addressRecord(name, endpoint.address()));
                    }
                }
            }
            return records.isEmpty() ? noSuchName() : found(distinct(records), List.of(), type);
        }

        /** A name that is above those of ports, if there are any. */
        Lookup protocol(String protocol) {
            return ports().stream()
                            .anyMatch(port -> port.protocol().equals(protocol)
                                    && !port.name().isEmpty())
                    ? noData()
                    : noSuchName();
        }

        private Set<Port> ports() {
            return switch (service.addressing()) {
                case Addressing.ClusterIps _ -> new LinkedHashSet<>(service.ports());
                case Addressing.Headless _ -> {
                    Set<Port> ports = new LinkedHashSet<>();
                    slices.stream()
                            .filter(slice -> !slice.endpoints().isEmpty())
                            .forEach(slice -> ports.addAll(slice.ports()));
                    yield ports;
                }
                case Addressing.External _ -> Set.of();
            };
        }

        Lookup port(Name name, String portName, String protocol, int type) {
            List<Port> matching = ports().stream()
                    .filter(port ->
                            port.name().equals(portName) && port.protocol().equals(protocol) && !portName.isEmpty())
                    .toList();
            if (matching.isEmpty()) {
                return noSuchName();
            }
            if (type != Type.SRV && type != Type.ANY) {
                return noData();
            }
            if (service.addressing() instanceof Addressing.ClusterIps(List<InetAddress> addresses)) {
                Name target = below(path(service.key())).orElseThrow();
                return new Lookup.Found(
                        matching.stream()
                                .<Record>map(port -> service(name, port, target))
                                .toList(),
                        addresses.stream()
                                .map(address -> addressRecord(target, address))
                                .toList());
            }
            return endpointServices(name, Optional.of(matching));
        }

        /** An SRV record of each ready endpoint and each of the ports: these, or all. */
        private Lookup endpointServices(Name name, Optional<List<Port>> wanted) {
            List<Record> answers = new ArrayList<>();
            List<Record> additional = new ArrayList<>();
            for (EndpointSlice slice : slices) {
                List<Port> ports = slice.ports().stream()
                        .filter(port -> wanted.isEmpty() || wanted.get().contains(port))
                        .toList();
                for (Endpoint endpoint : ports.isEmpty() ? List.<Endpoint>of() : slice.endpoints()) {
                    below(endpoint.label() + "." + path(service.key())).ifPresent(target -> {
                        ports.forEach(port -> answers.add(service(name, port, target)));
                        additional.add(addressRecord(target, endpoint.address()));
                    });
                }
            }
            return found(distinct(answers), distinct(additional), Type.SRV);
        }

        private Record service(Name name, Port port, Name target) {
            return new SRVRecord(name, DClass.IN, ttl, PRIORITY, WEIGHT, port.number(), target);
        }
    }

    private Record addressRecord(Name name, InetAddress address) {
        return address instanceof Inet4Address
                ? new ARecord(name, DClass.IN, ttl, address)
                : new AAAARecord(name, DClass.IN, ttl, address);
    }

    private static List<Record> distinct(List<Record> records) {
        return List.copyOf(new LinkedHashSet<>(records));
    }

    /** Those of the type. */
    private Lookup found(List<? extends Record> records, List<Record> additional, int type) {
        List<Record> answers = new ArrayList<>();
        for (Record candidate : records) {
            if (type == Type.ANY || candidate.getType() == type) {
                answers.add(candidate);
            }
        }
        return answers.isEmpty() ? noData() : new Lookup.Found(answers, additional);
    }

    private Lookup noData() {
        return new Lookup.NoData(authority(zone));
    }

    private Lookup noSuchName() {
        return new Lookup.NoSuchName(authority(zone));
    }

    /** Its last number is for how long a name that is missing may be remembered as missing. */
    private SOARecord authority(Name apex) {
        return new SOARecord(apex, DClass.IN, ttl, server, mailbox, 1, REFRESH, RETRY, EXPIRE, ttl);
    }

    private Optional<Name> below(String relative) {
        try {
            return Optional.of(Name.fromString(relative, zone));
        } catch (TextParseException e) {
            // Longer than 255 bytes, which no resolver could ask for.
            return Optional.empty();
        }
    }

    private static Optional<Name> absolute(String target) {
        try {
            return target.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Name.concatenate(Name.fromString(target), Name.root));
        } catch (TextParseException | NameTooLongException e) {
            // The API takes only names; whatever else came here leads nowhere.
            return Optional.empty();
        }
    }
}

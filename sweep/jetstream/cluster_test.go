// A cluster of three servers with three copies of each stream, one of which
// goes away midway.

package jetstream

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"overhear/sweep"
)

// cluster starts servers that know each other.
func cluster(t *testing.T) []*server.Server {
	t.Helper()
	var routes []*url.URL
	var ports []int
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, &url.URL{Scheme: "nats", Host: l.Addr().String()})
		l.Close()
	}
	var all []*server.Server
	for k, port := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("s", k), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
			StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: port}, Routes: routes,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		all = append(all, s)
	}
	for range 1000 {
		for _, s := range all {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(all) {
				return all
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the servers do not become a cluster")
	return nil
}

func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	p := plan(t, sweep.Options{Seeds: 300})
	servers := cluster(t)
	var urls []string
	for _, s := range servers {
		urls = append(urls, s.ClientURL())
	}
	o := options(t)
	o.Server, o.Replicas = strings.Join(urls, ","), 3
	c := coordinator(t, p, o)
	d := open(t, t.TempDir(), p)
	for range 2 {
		go func() { _ = Work(t.Context(), WorkerOptions{Server: o.Server, Workers: 1, Log: logTo(t)}) }()
	}
	var once sync.Once
	_, err := sweep.Make(t.Context(), d, sweep.Settings{Dispatcher: c, Progress: func(p sweep.Progress) {
		if p.Done >= 100 {
			once.Do(func() { go servers[1].Shutdown() })
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if messages, writes := written(t, c); messages != 300 || writes != 300 {
		t.Errorf("%d results in %d writes", messages, writes)
	}
	sameTables(t, alone(t, p), d.Path)
}
